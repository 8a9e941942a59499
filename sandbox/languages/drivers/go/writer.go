package driver

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

const mostPointers = 64

type writer struct {
	data     []byte
	pointers int
}

func (k *kind) text() string {
	if len(k.parts) == 0 {
		return k.name
	}
	parts := make([]string, len(k.parts))
	for i, part := range k.parts {
		parts[i] = part.text()
	}
	return k.name + "[" + strings.Join(parts, ", ") + "]"
}

// writeResults takes several results for a tuple, and a value with a bool for an optional.
func (w *writer) writeResults(k *kind, results []reflect.Value) {
	count := len(results)
	switch {
	case count == 0 && k.name == "none":
		w.data = append(w.data, 'N')
	case count == 1:
		w.write(k, results[0])
	case k.name == "tuple" && count == len(k.parts):
		w.head('P', count)
		for i, result := range results {
			w.write(k.parts[i], result)
		}
	case k.name == "optional" && count == 2 && results[1].Kind() == reflect.Bool:
		if results[1].Bool() {
			w.write(k, results[0])
		} else {
			w.data = append(w.data, 'N')
		}
	default:
		panic(fmt.Sprintf("%d results for the type %s", count, k.text()))
	}
}

func (w *writer) head(tag byte, size int) {
	w.data = append(w.data, tag)
	w.data = strconv.AppendInt(w.data, int64(size), 10)
	w.data = append(w.data, ':')
}

func (w *writer) write(k *kind, v reflect.Value) {
	isNull := !v.IsValid() || (isNullable(v.Type()) && v.IsNil())
	switch {
	case isNull && (k.name == "optional" || k.name == "none"):
		w.data = append(w.data, 'N')
		return
	case !isNull && (v.Kind() == reflect.Ptr || v.Kind() == reflect.Interface):
		w.writePointed(k, v)
		return
	case isNull && v.IsValid() && (v.Kind() == reflect.Slice || v.Kind() == reflect.Map):
	case isNull:
		panic(fmt.Sprintf("nil isn't of the type %s", k.text()))
	}
	if k.name == "optional" {
		w.write(k.parts[0], v)
		return
	}
	if !w.writeScalar(k, v) && !w.writeContainer(k, v) {
		panic(fmt.Sprintf("a %v isn't of the type %s", v.Type(), k.text()))
	}
}

func (w *writer) writePointed(k *kind, v reflect.Value) {
	if w.pointers++; w.pointers > mostPointers {
		panic("pointers without end")
	}
	if k.name == "optional" {
		k = k.parts[0]
	}
	w.write(k, v.Elem())
	w.pointers--
}

func (w *writer) writeScalar(k *kind, v reflect.Value) bool {
	switch k.name {
	case "int", "bigint":
		return w.writeInteger(v)
	case "float":
		return w.writeFloat(v)
	case "bool":
		if v.Kind() != reflect.Bool {
			return false
		}
		if v.Bool() {
			w.data = append(w.data, 'T')
		} else {
			w.data = append(w.data, 'F')
		}
		return true
	case "str":
		return w.writeText(v)
	case "bytes":
		return w.writeBytes(v)
	case "none":
		if v.Type() == emptyType {
			w.data = append(w.data, 'N')
		}
		return v.Type() == emptyType
	}
	return false
}

func (w *writer) writeInteger(v reflect.Value) bool {
	var digits string
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		digits = strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		digits = strconv.FormatUint(v.Uint(), 10)
	default:
		if v.Type() != bigType {
			return false
		}
		n := v.Interface().(big.Int)
		digits = n.String()
	}
	w.data = append(append(append(w.data, 'I'), digits...), ';')
	return true
}

func (w *writer) writeFloat(v reflect.Value) bool {
	if v.Kind() != reflect.Float64 && v.Kind() != reflect.Float32 {
		return false
	}
	w.data = append(w.data, fmt.Sprintf("D%016x", math.Float64bits(v.Float()))...)
	return true
}

func (w *writer) writeText(v reflect.Value) bool {
	switch {
	case v.Kind() == reflect.String:
		w.sized('S', v.String())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		w.sized('S', string(v.Bytes()))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Int32:
		w.sized('S', string(v.Convert(reflect.TypeOf([]rune(nil))).Interface().([]rune)))
	default:
		return false
	}
	return true
}

func (w *writer) writeBytes(v reflect.Value) bool {
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Uint8 {
		return false
	}
	w.sized('B', string(v.Bytes()))
	return true
}

func (w *writer) sized(tag byte, text string) {
	w.head(tag, len(text))
	w.data = append(w.data, text...)
}

func (w *writer) writeContainer(k *kind, v reflect.Value) bool {
	isRow := v.Kind() == reflect.Slice || v.Kind() == reflect.Array
	switch {
	case k.name == "list" && isRow:
		w.head('L', v.Len())
		for i := 0; i < v.Len(); i++ {
			w.write(k.parts[0], v.Index(i))
		}
	case k.name == "tuple" && isRow && v.Len() == len(k.parts):
		w.head('P', v.Len())
		for i, part := range k.parts {
			w.write(part, v.Index(i))
		}
	case k.name == "tuple" && v.Kind() == reflect.Struct && v.NumField() == len(k.parts):
		copied := reflect.New(v.Type()).Elem()
		copied.Set(v)
		w.head('P', len(k.parts))
		for i, part := range k.parts {
			w.write(part, field(copied, i))
		}
	case k.name == "map" && v.Kind() == reflect.Map:
		w.head('M', v.Len())
		for entries := v.MapRange(); entries.Next(); {
			w.write(k.parts[0], entries.Key())
			w.write(k.parts[1], entries.Value())
		}
	case k.name == "set" && v.Kind() == reflect.Map:
		return w.writeSet(k.parts[0], v)
	default:
		return false
	}
	return true
}

// writeSet takes a map to struct{}, or a map to bool, of which the true entries count.
func (w *writer) writeSet(k *kind, v reflect.Value) bool {
	t := v.Type().Elem()
	if t != emptyType && t.Kind() != reflect.Bool {
		return false
	}
	var keys []reflect.Value
	for entries := v.MapRange(); entries.Next(); {
		if t == emptyType || entries.Value().Bool() {
			keys = append(keys, entries.Key())
		}
	}
	w.head('E', len(keys))
	for _, key := range keys {
		w.write(k, key)
	}
	return true
}

package main

import (
	"fmt"
	"net"
)

func connects(port int) string {
	connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return "refused"
	}
	connection.Close()
	return "connected"
}

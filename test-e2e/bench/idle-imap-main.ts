import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

// IMAP server that replies OK to every command and sends nothing else. Supports many sessions at
// low cost.
const server = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    const [tag = ''] = chunk.toString('latin1').split(' ')
    socket.write(`${tag} OK [CAPABILITY IMAP4rev1 IDLE] done\r\n`)
  })
  socket.write('* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready\r\n')
}).listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))

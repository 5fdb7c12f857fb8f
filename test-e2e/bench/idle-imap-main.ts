import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

// An IMAP server that says OK to everything and is silent otherwise: any number of sessions that cost it next to nothing.
const server = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    const [tag = ''] = chunk.toString('latin1').split(' ')
    socket.write(`${tag} OK [CAPABILITY IMAP4rev1 IDLE] done\r\n`)
  })
  socket.write('* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready\r\n')
}).listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))

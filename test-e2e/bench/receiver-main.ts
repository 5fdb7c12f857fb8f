import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { replyWithCounts } from './counter.ts'

// Webhook receiver that counts requests at full speed. Requests to /hang get no response. Requests
// to /hang and /other are not counted.
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.url === '/hang') return
    response.end()
    if (request.url !== '/other') parent.one()
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const parent = replyWithCounts((server.address() as AddressInfo).port)

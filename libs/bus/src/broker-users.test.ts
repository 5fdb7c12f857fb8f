import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { setBrokerUsers } from './broker-users.ts'

/** Responses of RabbitMQ's management API to the next requests; status 204 afterwards. */
let responses: [status: number, body: string][] = []
const requests: string[] = []
const server = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`)
  const [status, body] = responses.shift() ?? [204, '']
  response.writeHead(status).end(body)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const { port } = server.address() as AddressInfo
afterAll(() => void server.close())
beforeEach(() => {
  requests.length = 0
  responses = []
})

const users = () => ({
  api: `http://admin:secret@127.0.0.1:${port}`,
  vhost: '/',
  passwords: { posthorn_sender: 'p' },
})
const user = 'PUT /api/users/posthorn_sender'
const ofUser = () => requests.filter((request) => request === user)
/**
 * Number of management API requests before the request that creates the RabbitMQ user of the
 * sender.
 */
async function requestsBefore(): Promise<number> {
  await setBrokerUsers(users())
  const count = requests.indexOf(user)
  requests.length = 0
  return count
}
const accepted = (count: number) => Array.from({ length: count }, (): [number, string] => [204, ''])

test('setBrokerUsers: a user that is created at the same time is updated', async () => {
  const before = await requestsBefore()
  const conflict = '{"error":"bad_request","reason":["user_already_exists","posthorn_sender"]}'
  responses = [...accepted(before), [400, conflict]]
  await setBrokerUsers(users())
  expect(ofUser()).toHaveLength(2)
})

test('setBrokerUsers: other rejections are reported with the response', async () => {
  const before = await requestsBefore()
  responses = [...accepted(before), [400, '{"reason":"bad password"}']]
  await expect(setBrokerUsers(users())).rejects.toThrow(
    'PUT /api/users/posthorn_sender failed at RabbitMQ: 400 {"reason":"bad password"}',
  )
  expect(ofUser()).toHaveLength(1)
})

test('setBrokerUsers: the missing user of an optional service is left out', async () => {
  const optional = () => requests.filter((request) => request.endsWith('posthorn_admin_ui'))
  await setBrokerUsers(users())
  expect(optional()).toEqual([
    'GET /api/users/posthorn_admin_ui',
    'PUT /api/permissions/%2F/posthorn_admin_ui',
  ])
  const before = requests.indexOf('GET /api/users/posthorn_admin_ui')
  requests.length = 0
  responses = [...accepted(before), [404, '{"error":"Object Not Found"}']]
  await setBrokerUsers(users())
  expect(optional()).toEqual(['GET /api/users/posthorn_admin_ui'])
})

test('setBrokerUsers: the management API that rejects a look-up is reported', async () => {
  await setBrokerUsers(users())
  const before = requests.indexOf('GET /api/users/posthorn_admin_ui')
  responses = [...accepted(before), [401, '{"error":"not_authorized"}']]
  await expect(setBrokerUsers(users())).rejects.toThrow(
    'GET /api/users/posthorn_admin_ui failed at RabbitMQ: 401 {"error":"not_authorized"}',
  )
})

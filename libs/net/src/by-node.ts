import { type ClientRequest, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { AppError } from '@posthorn/errors'
import type { Agents } from './agents.ts'
import { type Bounds, type Ended, Exchange } from './exchange.ts'
import type { CallRequest } from './http.ts'

/** @throws AppError `invalid`, or what node says of a request that cannot be made */
export function sendByNode(agents: Agents, request: CallRequest, bounds: Bounds): Promise<Ended> {
  const outgoing = openRequest(agents, request)
  const exchange = new Exchange(outgoing, bounds)
  outgoing.end(request.body)
  return exchange.ended
}

function openRequest(agents: Agents, { method, url, headers = {} }: CallRequest): ClientRequest {
  const address = new URL(url)
  const options = { method, headers: { ...headers } }
  if (address.protocol === 'https:')
    return httpsRequest(address, { ...options, agent: agents.https })
  if (address.protocol === 'http:') return httpRequest(address, { ...options, agent: agents.http })
  throw new AppError('invalid', 'Only http and https can be called')
}

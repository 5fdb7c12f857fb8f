import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import { clientAddress } from '../access/client-address.ts'
import type { LinkVisitor } from '../automated/automated.ts'

const maxAgentLength = 1024

/** The address behind the trusted proxies, and what the client calls itself, cut to a sane length. */
export function resolveVisitor(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: readonly string[],
): LinkVisitor {
  const forwarded = [headers['x-forwarded-for']].flat().join(',')
  const agent = (headers['user-agent'] ?? '').slice(0, maxAgentLength).toWellFormed()
  return {
    remoteAddress: clientAddress(socket.remoteAddress ?? '', forwarded, trustedProxies),
    userAgent: agent,
  }
}

/** As events tell it: what is not known is absent. */
export function visitorFields({ remoteAddress, userAgent }: LinkVisitor) {
  return {
    ...(remoteAddress === '' ? {} : { remoteAddress }),
    ...(userAgent === '' ? {} : { userAgent }),
  }
}

/** HEAD only asks whether something is there, and browsers fetch ahead what nobody has clicked. */
export function isVisit(request: Request): boolean {
  const purpose = `${request.get('sec-purpose') ?? ''} ${request.get('purpose') ?? ''}`
  return request.method === 'GET' && !/prefetch|prerender|preview/i.test(purpose)
}

import { AppError } from '@posthorn/errors'
import type { RequestHandler } from 'express'

/** Maximum headers of a request. Browsers and proxies send fewer than 50. */
const maxHeaders = 100

/**
 * Rejects request heads that two readers could interpret differently: a missing or repeated Host
 * (RFC 9112 §3.2), a transfer coding beside chunked (§6.1), too many headers.
 */
export const assertHead: RequestHandler = (request, _response, next) => {
  const { rawHeaders, httpVersion, headers } = request
  if (rawHeaders.length / 2 > maxHeaders)
    throw Object.assign(new Error('too many headers'), { status: 431 })
  if (!/^1\.[01]$/.test(httpVersion))
    throw new AppError('invalid', 'HTTP version not supported, use HTTP/1.1')
  if (!/^chunked$/i.test(headers['transfer-encoding'] ?? 'chunked'))
    throw new AppError('invalid', 'Transfer-Encoding is not supported')
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0'))
    throw new AppError('invalid', 'Exactly one Host header is required')
  next()
}

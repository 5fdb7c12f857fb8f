import { AppError } from '@posthorn/errors'
import type { RequestHandler } from 'express'

/** More than browsers and proxies send together by far. */
const maxHeaders = 100

/**
 * Heads that are HTTP and yet none to be answered. RFC 9112 §3.2: HTTP/1.1 names its host, and nobody names two. §6.1: what is chunked
 * and something else besides would be taken for what it is not.
 */
export const assertHead: RequestHandler = (request, _response, next) => {
  const { rawHeaders, httpVersion, headers } = request
  if (rawHeaders.length / 2 > maxHeaders)
    throw Object.assign(new Error('too many headers'), { status: 431 })
  if (!/^1\.[01]$/.test(httpVersion)) throw new AppError('invalid', 'Only HTTP/1.1 is spoken')
  if (!/^chunked$/i.test(headers['transfer-encoding'] ?? 'chunked'))
    throw new AppError('invalid', 'Transfer-Encoding is not supported')
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0'))
    throw new AppError('invalid', 'A request has one Host header')
  next()
}

import { AppError } from '@posthorn/errors'
import type { RequestHandler } from 'express'

/** More than browsers and proxies send together by far. */
const maxHeaders = 100

/** Heads that are HTTP and yet none to be answered. RFC 9112 §3.2: HTTP/1.1 names its host, and nobody names two. */
export const assertHead: RequestHandler = ({ rawHeaders, httpVersion }, _response, next) => {
  if (rawHeaders.length / 2 > maxHeaders)
    throw Object.assign(new Error('too many headers'), { status: 431 })
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0'))
    throw new AppError('invalid', 'A request has one Host header')
  next()
}

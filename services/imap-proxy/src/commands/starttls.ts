import { type Answer, bad } from './command.ts'

/** RFC 9051 §6.2.1. The connection answers when it goes ahead. */
export const answerStartTls: Answer = (request) =>
  request.canStartTls ? { do: 'start-tls' } : bad(request, 'TLS is not available here')

import { AppError } from '@posthorn/errors'
import type { Request, RequestHandler, Response } from 'express'
import { tooMany } from '../limit-address.ts'
import { queryOf } from '../link-request.ts'
import type { GraphAdmission } from './graph-admission.ts'
import type { NotificationBodies } from './notification-bodies.ts'
import type { NotificationForwarder } from './notification-forwarder.ts'
import { parseGraphNotifications } from './parse-graph.ts'
import { sendOutcome, type NotificationOutcome } from './send-outcome.ts'

export interface GraphNotificationsDeps {
  readonly forwarder: Pick<NotificationForwarder, 'forward'>
  readonly bodies: Pick<NotificationBodies, 'use'>
  readonly admission: Pick<GraphAdmission, 'excess'>
  readonly addressOf: (request: Request) => string
  readonly count: (outcome: NotificationOutcome | 'handshake') => void
}

/** Maximum length of a validation token of Microsoft Graph, in characters. */
const maxTokenLength = 4_096
const maxAccountLength = 256

/**
 * Handles notifications and lifecycle notifications of Microsoft Graph. Responds with success as
 * soon as RabbitMQ has the notifications: only the worker of the account can check that all of them
 * are genuine. Notifications with unknown secrets are limited per address.
 */
export function onGraphNotifications(deps: GraphNotificationsDeps): RequestHandler {
  return async (request, response) => {
    const query = queryOf(request)
    const token = query.get('validationToken')
    if (token !== null) {
      deps.count('handshake')
      return sendValidationToken(response, token)
    }
    await sendOutcome(response, deps.count, async () => {
      const account = query.get('account') ?? ''
      if (account === '' || account.length > maxAccountLength)
        throw new AppError('invalid', 'The query must name an account')
      const notifications = await deps.bodies.use(request, async (body) =>
        parseGraphNotifications(body, account),
      )
      if (notifications.length === 0) return 'ignored'
      const seconds = deps.admission.excess(deps.addressOf(request), notifications)
      if (seconds !== undefined) throw tooMany(request, response, seconds)
      await deps.forwarder.forward(notifications)
      return 'forwarded'
    })
  }
}

/**
 * Responds to the handshake with which Microsoft Graph creates a subscription: the validation token
 * as text, decoded once. Anyone can send a handshake, so it changes nothing, and browsers never
 * show the response as a page.
 */
function sendValidationToken(response: Response, token: string): void {
  if (token === '' || token.length > maxTokenLength) {
    response.status(400).type('text/plain').send('The validation token is not valid\n')
    return
  }
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.status(200).type('text/plain').send(token)
}

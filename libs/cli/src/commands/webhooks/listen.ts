import { defined } from '@posthorn/contracts/defined'
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Posthorn, WebhookEvent } from '@posthorn/client'
import type { CommandContext, RunCommand } from '../../program/command.ts'
import { localTime } from '../../program/times.ts'
import { type ForwardedResponse, forwardWebhook } from './forward.ts'
import { createListenRoute, filterSource } from './listen-route.ts'
import { receiverUrl } from './listen-url.ts'
import { keyHeader, type ReceivedRequest, startReceiver } from './receiver.ts'
import { findWebhookSecret } from './webhook-secret.ts'

interface ListenOptions {
  forward?: string
  host: string
  port?: number
  publicUrl?: string
  events?: string[]
  account?: string
}

/**
 * Command `webhooks listen`: receives webhooks of a temporary route until the program is ended. The
 * route is deleted before the receiver stops, so that each webhook of the route gets a response.
 */
export const listen: RunCommand = async (context, _args, values) => {
  const options = values as unknown as ListenOptions
  const { progress, signal } = context
  const secret = await findWebhookSecret(values, context)
  const client = await context.posthorn()
  const { url } = await context.connection()
  const { webhooksEnabled } = await client.getSettings({ webhooksEnabled: true }, { signal })
  const key = randomBytes(24).toString('base64url')
  const path = `/${randomBytes(8).toString('hex')}`
  await using stack = new AsyncDisposableStack()
  // If the server cannot reach the URL of the receiver, the command fails before the receiver
  // starts.
  const urlOf = (port: number) =>
    options.publicUrl ?? receiverUrl({ host: options.host, port, path }, url)
  urlOf(0)
  const receiver = stack.use(
    await startReceiver({
      host: options.host,
      port: options.port ?? 0,
      key,
      onWebhook: (webhook, gone) =>
        handle(context, webhook, { ...options, ...defined({ secret }), gone }),
      onRejected: (reason) => progress.note(reason),
    }),
  )
  const targetUrl = urlOf(receiver.port)
  const route = stack.use(await createRoute(client, { ...options, targetUrl, key }, context))
  progress.note(`Webhooks are received at ${targetUrl}. Ctrl-C ends the program.`)
  if (secret === undefined)
    progress.note('Signatures are not checked: pass the secret with --secret-file.')
  if (webhooksEnabled !== true)
    progress.note('Webhooks are off: run `posthorn settings set webhooksEnabled=true`.')
  await route.extend(signal)
}

function createRoute(
  client: Posthorn,
  { targetUrl, key, events, account }: ListenOptions & { targetUrl: string; key: string },
  { progress, signal }: CommandContext,
) {
  const fn = filterSource(events, account)
  const route = {
    name: `posthorn webhooks listen on ${hostname()}`.slice(0, 256),
    description: 'Temporary route of a running program, which extends its time',
    targetUrl,
    customHeaders: [{ key: keyHeader, value: key }],
    content: defined({ fn }),
  }
  return createListenRoute(client, route, { signal, onLost: (text) => progress.note(text) })
}

/** Response to a received webhook that is not forwarded. */
const received: ForwardedResponse = { status: 204, headers: {}, body: Buffer.of() }

/** Prints a received webhook and forwards it. Returns the response to the sender of the webhook. */
async function handle(
  { output, progress }: CommandContext,
  webhook: ReceivedRequest,
  { secret, forward, gone }: { secret?: string; forward?: string; gone: AbortSignal },
): Promise<ForwardedResponse> {
  const event = await readEvent(webhook, secret)
  if (typeof event === 'string') {
    progress.note(event)
    return { ...received, status: 401 }
  }
  await output.result(event, describe(event))
  if (forward === undefined) return received
  try {
    const response = await forwardWebhook(webhook, {
      url: forward,
      without: keyHeader,
      signal: gone,
    })
    if (response.status >= 300)
      progress.note(`${forward} responded ${response.status} to ${event.event} ${event.eventId}`)
    return response
  } catch (error) {
    const reason = String((error as Error).message || (error as NodeJS.ErrnoException).code)
    progress.note(`${event.event} ${event.eventId} was not forwarded: ${reason}`)
    return { status: 502, headers: {}, body: Buffer.from('The webhook was not forwarded') }
  }
}

/**
 * Event that a webhook request contains. Returns the reason if the signature of the webhook is
 * wrong.
 */
async function readEvent(
  { headers, body }: ReceivedRequest,
  secret: string | undefined,
): Promise<WebhookEvent | string> {
  if (secret === undefined) {
    const eventId = String(headers['webhook-id'])
    return { ...(JSON.parse(Buffer.from(body).toString()) as WebhookEvent), eventId }
  }
  const { verifyWebhook } = await import('@posthorn/client')
  try {
    return await verifyWebhook({ headers, body, secret })
  } catch (error) {
    return `rejected a webhook: ${String((error as Error).message)}`
  }
}

function describe({ date, event, account, data, eventId }: WebhookEvent): string {
  const { subject, path } = data as { subject?: string; path?: string }
  return [localTime(date), event, account, eventId, path, subject].filter(Boolean).join('  ')
}

import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const guide = 'receive-webhooks#what-can-go-wrong'
const retried = 'Deliveries are retried; replay those in the failed set afterwards.'

function row(codes: string[], texts: { meaning: string; action: string }): AdviceRow {
  return { id: `webhook-${codes[0]}`, codes, ownerText: nothingToDo, guide, ...texts }
}

/**
 * Advice table for failed calls to webhook targets, by outcome. The last row matches every outcome.
 */
export const webhookOutcomes: readonly AdviceRow[] = [
  {
    id: 'webhook-signature-rejected',
    codes: ['http-4xx'],
    statuses: [401, 403],
    meaning: 'The receiver rejects the signature, the login or the address of the sender.',
    action: `Compare the secret of the receiver with \`serviceSecret\` or \`webhookSecrets\`, and check its login. ${retried}`,
    ownerText: nothingToDo,
    guide: 'receive-webhooks#signatures',
  },
  {
    id: 'webhook-not-found',
    codes: ['http-4xx'],
    statuses: [404, 405, 410],
    meaning: 'The receiver has no endpoint for POST at this URL.',
    action: `Correct the URL of the webhook target. ${retried}`,
    ownerText: nothingToDo,
    guide,
  },
  {
    id: 'webhook-body-too-large',
    codes: ['http-4xx'],
    statuses: [413],
    meaning: 'The receiver does not accept webhook bodies of this size.',
    action: `Raise the limit of the receiver, or reduce \`notifyTextSize\` and \`notifyAttachmentSize\`. ${retried}`,
    ownerText: nothingToDo,
    guide: 'receive-webhooks#limits',
  },
  {
    id: 'webhook-rate-limited',
    codes: ['http-4xx'],
    statuses: [429],
    meaning: 'The receiver gets more webhooks than it permits.',
    action: 'Set `webhooksRate` or `webhooksConcurrency`, or raise the limit of the receiver.',
    ownerText: nothingToDo,
    guide: 'receive-webhooks#limits',
  },
  row(['2xx'], {
    meaning: 'The receiver accepted the webhook.',
    action: 'No action is necessary.',
  }),
  row(['http-4xx'], {
    meaning: 'The receiver rejects the webhook.',
    action: `Read the response of the receiver and correct the receiver or the URL. ${retried}`,
  }),
  row(['http-5xx'], {
    meaning: 'The receiver, or a server in front of it, has a fault.',
    action: `Read the response and the log of the receiver. ${retried}`,
  }),
  row(['redirect-refused'], {
    meaning:
      'The receiver redirects to another URL. Webhooks do not follow redirects, and such a delivery is not retried.',
    action:
      'Enter the final URL as webhook target, often with `https:`. Replay the failed deliveries.',
  }),
  row(['egress-blocked'], {
    meaning:
      'The rules of this installation forbid calls to the address or port of the webhook target.',
    action:
      'Use a public address, or change `SVC_WEBHOOK_EGRESS_POLICY`. Replay the failed deliveries.',
  }),
  row(['dns'], {
    meaning: 'The host name of the webhook target has no address.',
    action: `Check the spelling of the host, and the name server of this installation. ${retried}`,
  }),
  row(['refused'], {
    meaning: 'No program accepts connections at the host and port of the webhook target.',
    action: `Start the receiver, or correct the port. ${retried}`,
  }),
  row(['unreachable'], {
    meaning: 'No network path leads to the webhook target.',
    action: `Check the network and the network policies of this installation. ${retried}`,
  }),
  row(['connect-timeout'], {
    meaning: 'The webhook target did not accept the connection in time. A firewall may drop it.',
    action: `Permit the addresses of this installation in the firewall of the receiver. ${retried}`,
  }),
  row(['response-timeout'], {
    meaning: 'The receiver did not respond within `SVC_WEBHOOK_TIMEOUT` (30 s).',
    action: `Let the receiver store the webhook, respond, and process it afterwards. ${retried}`,
  }),
  row(['tls'], {
    meaning:
      'The encryption of the connection failed: expired certificate, wrong host name, or unknown authority.',
    action: `Renew the certificate of the receiver, with its intermediate certificates. ${retried}`,
  }),
  row(['reset'], {
    meaning: 'The receiver closed the connection before its response was complete.',
    action: `Read the log of the receiver and of the load balancer in front of it. ${retried}`,
  }),
  row(['protocol'], {
    meaning:
      'The webhook target does not respond with HTTP, or its stored login cannot be decrypted.',
    action: `Check port and scheme of the URL. If the error names a login or header, set it again. ${retried}`,
  }),
  row(['proxy-fault'], {
    meaning: 'The HTTP proxy of this installation fails, or cannot reach the webhook target.',
    action:
      'Check `SVC_WEBHOOK_PROXY` or the setting `httpProxyUrl`. Such attempts are not counted for 24 h.',
  }),
  row(['too-large'], {
    meaning: 'The event is above the limit of 64 MiB and is not sent.',
    action: 'Read the message through the API.',
  }),
  row(['no-target', 'no-event'], {
    meaning: 'The webhook target or the event was deleted before the delivery.',
    action: 'No action is necessary.',
  }),
  row(['interrupted', 'aborted'], {
    meaning: 'The process stopped during the call. The receiver may have got the webhook.',
    action: 'Replay the delivery. Receivers recognize repeated webhooks by their event id.',
  }),
  {
    id: 'webhook-unknown-outcome',
    meaning: 'No explanation is known for this outcome of a webhook.',
    action:
      'Test the target with `POST /admin/api/webhookTargets/test`, and read the log of webhook-dispatcher.',
    ownerText: nothingToDo,
    guide: 'receive-webhooks#test-a-target',
  },
]

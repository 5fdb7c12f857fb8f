import { type Static, Type } from 'typebox'
import { Int, Nullable, OneOf, Text, Time } from './primitives.ts'

/**
 * Failure of an attempt to send a message, as reported by the outgoing server or as a network
 * error.
 */
export const smtpFailure = {
  response: Type.Optional(
    Text(
      'Reply of the mail server to the accepted message or the rejected SMTP command. Absent without a reply of the mail server.',
    ),
  ),
  responseCode: Type.Optional(
    Int(
      'SMTP reply code of the mail server, such as 550. Absent if the mail server did not reply.',
    ),
  ),
  code: Type.Optional(
    Text('Code of the error of the attempt to send a message, such as `ECONNECTION` or `EAUTH`.'),
  ),
  command: Type.Optional(Text('SMTP command that the mail server rejected, such as `RCPT TO`.')),
  description: Type.Optional(Text('Text of the error of the attempt to send the message.')),
}

/**
 * Members that describe the network path of an attempt to send a message (proxy and local address).
 */
export const networkPath = {
  localAddress: Type.Optional(Text('Local IP address of the connection to the mail server.')),
  name: Type.Optional(Text('Host name that was sent to the mail server in the EHLO command.')),
  proxy: Type.Optional(
    Text('URL of the proxy for the connection to the mail server, without the login.'),
  ),
}
export const networkPathDescription =
  'Network path of the attempt to send a message: local IP address, EHLO name and proxy. Absent or null for the default path.'

/** Result of the last attempt to send a message through the account's own outgoing server. */
export const SmtpStatus = Type.Object(
  {
    created: Time('Time of the attempt to send a message (ISO 8601).'),
    status: OneOf(['ok', 'error'], {
      description: 'Result of the attempt to send a message: `ok` or `error`.',
    }),
    ...smtpFailure,
    networkRouting: Nullable(Type.Object(networkPath, { description: networkPathDescription })),
  },
  {
    description:
      'Result of the last attempt to send a message through the outgoing server of the account. Null before the first attempt, and after the retention period of sent messages (1 day by default).',
  },
)
export type SmtpStatus = Static<typeof SmtpStatus>

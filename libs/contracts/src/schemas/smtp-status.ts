import { type Static, Type } from 'typebox'
import { Int, Nullable, OneOf, Text, Time } from './primitives.ts'

/**
 * Failure of an attempt to send a message, as reported by the outgoing server or as a network
 * error.
 */
export const smtpFailure = {
  response: Type.Optional(Text('Reply of the server.')),
  responseCode: Type.Optional(Int('SMTP reply code.')),
  code: Type.Optional(Text('Code of the error, such as `ECONNECTION`.')),
  command: Type.Optional(Text('SMTP command that failed.')),
  description: Type.Optional(Text('Description of the error.')),
}

/**
 * Members that describe the network path of an attempt to send a message (proxy and local address).
 */
export const networkPath = {
  localAddress: Type.Optional(Text('Local IP address of the connection.')),
  name: Type.Optional(Text('Host name sent with EHLO.')),
  proxy: Type.Optional(Text('URL of the proxy without credentials.')),
}
export const networkPathDescription = 'Network path of the attempt, if it is not the default.'

/** Result of the last attempt to send a message through the account's own outgoing server. */
export const SmtpStatus = Type.Object(
  {
    created: Time('Time of the attempt (ISO 8601).'),
    status: OneOf(['ok', 'error'], { description: 'Result of the attempt.' }),
    ...smtpFailure,
    networkRouting: Nullable(Type.Object(networkPath, { description: networkPathDescription })),
  },
  {
    description:
      'Result of the last attempt to send through the outgoing server of the account. Null if there was none within the retention period of sent messages.',
  },
)
export type SmtpStatus = Static<typeof SmtpStatus>

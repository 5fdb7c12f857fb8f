import { type Static, Type } from 'typebox'
import { Bool, Int, OneOf, Text, Texts, Time } from './primitives.ts'

/** Running process of a mail proxy, to which mail clients connect. */
export const MailProxyReplica = Type.Object({
  id: Text('Id of the replica. Each start of a process generates a new id.'),
  service: OneOf(['imap-proxy', 'smtp-proxy'], {
    description: 'Service of the replica: the IMAP proxy or the SMTP proxy.',
  }),
  hostName: Text('Name of the host on which the replica runs; on Kubernetes the name of the pod.'),
  listener: OneOf(['off', 'listening', 'failed'], {
    description:
      'State of the listener for mail clients. `off`: the settings disable the listener; `listening`: mail clients can connect; `failed`: the settings enable the listener, and the listener does not listen for the reason in `error`.',
  }),
  port: Type.Optional(
    Int('Port at which the replica listens. Absent unless `listener` is `listening`.'),
  ),
  tls: Type.Optional(
    Bool(
      'True if TLS starts with the connection at `port`; false for STARTTLS or no TLS. Absent unless `listener` is `listening`.',
    ),
  ),
  tlsPort: Type.Optional(
    Int('Second port, at which TLS starts with the connection. Absent without such a port.'),
  ),
  error: Type.Optional(
    Text(
      'Reason for which the replica does not listen, such as a port in use. Absent unless `listener` is `failed`.',
    ),
  ),
  certificate: Type.Optional(
    Type.Object(
      {
        names: Texts(
          'Names for which the certificate is valid, at most 20. The subject of a certificate without alternative names.',
        ),
        expiresAt: Time('Time at which the certificate expires (ISO 8601).'),
      },
      {
        description:
          'Certificate of the listener. Absent if no certificate is configured, if the certificate cannot be read, and while the listener is off.',
      },
    ),
  ),
  sessions: Int('Number of sessions of mail clients that have logged in.'),
  reportedAt: Time('Time of the last report of the replica (ISO 8601).'),
})
export type MailProxyReplica = Static<typeof MailProxyReplica>

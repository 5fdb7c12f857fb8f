import { Nullable, Text } from '../schemas/primitives.ts'
import { flag, host, port } from './setting-schemas.ts'

/** Minimum length of a password that admits clients of the IMAP or SMTP proxy to all accounts. */
export const minServerPasswordLength = 32
const serverPassword = (protocol: string) =>
  Nullable(
    Text(
      `Password with which mail clients log in to the ${protocol} proxy for any account, as an alternative to tokens. None by default.`,
      {
        minLength: minServerPasswordLength,
        maxLength: 1024,
      },
    ),
  )

/** Schemas of the settings of the IMAP and SMTP proxy for mail clients, by setting name. */
export const mailProxySettings = {
  imapProxyServerEnabled: flag(
    'If true, the IMAP proxy accepts connections of mail clients. Defaults to false.',
  ),
  imapProxyServerPort: port(
    'TCP port of the IMAP proxy for connections of mail clients. Defaults to 2993.',
  ),
  imapProxyServerHost: host(
    'Host name or local IP address at which the IMAP proxy accepts connections. Defaults to 127.0.0.1, which only programs on the same machine reach.',
  ),
  imapProxyServerTLSEnabled: flag(
    'If true, connections to the IMAP proxy use TLS from the start. Defaults to false.',
  ),
  imapProxyServerProxy: flag(
    'If true, load balancers in `SVC_IMAP_PROXY_TRUSTED_PROXIES` must send a PROXY header with the client address to the IMAP proxy. Defaults to false.',
  ),
  imapProxyServerPassword: serverPassword('IMAP'),
  smtpServerEnabled: flag(
    'If true, the SMTP proxy accepts connections of mail clients. Defaults to false.',
  ),
  smtpServerPort: port(
    'TCP port of the SMTP proxy for connections of mail clients. Defaults to 2525.',
  ),
  smtpServerHost: host(
    'Host name or local IP address at which the SMTP proxy accepts connections. Defaults to 127.0.0.1, which only programs on the same machine reach.',
  ),
  smtpServerTLSEnabled: flag(
    'If true, connections to the SMTP proxy use TLS from the start. Defaults to false.',
  ),
  smtpServerProxy: flag(
    'If true, load balancers in `SVC_SMTP_PROXY_TRUSTED_PROXIES` must send a PROXY header with the client address to the SMTP proxy. Defaults to false.',
  ),
  smtpServerAuthEnabled: flag(
    'If true (default), the SMTP proxy requires a login. If false, each client that reaches the port may send for any account, named in the header `X-SVC-Account`.',
  ),
  smtpServerPassword: serverPassword('SMTP'),
} as const

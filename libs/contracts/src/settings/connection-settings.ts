import { Type } from 'typebox'
import { Nullable, Text } from '../schemas/primitives.ts'
import { flag, host, url } from './setting-schemas.ts'

/** Setting for a member of the IMAP ID command. RFC 2971 §3.3 limits values to 1,024 bytes. */
const clientId = (member: string, fallback: string) =>
  Nullable(
    Text(
      `Value of \`${member}\` that is sent to IMAP servers for identification (ID command, RFC 2971). ${fallback}`,
      {
        minLength: 1,
        maxLength: 256,
        format: 'one-line',
      },
    ),
  )
const strategy = (protocol: string) =>
  Nullable(
    Type.Union([Type.Literal('default'), Type.Literal('dedicated'), Type.Literal('random')], {
      description: `Choice of the local IP address from \`localAddresses\` for new ${protocol} connections: \`default\` by the operating system, \`dedicated\` with a fixed address per account, \`random\` with a random address.`,
    }),
  )

/** Schemas of the settings of connections to mail servers and other servers, by setting name. */
export const connectionSettings = {
  ignoreMailCertErrors: flag(
    'If true, any TLS certificate of mail servers is accepted, except for connections through a proxy. Defaults to false.',
  ),
  smtpEhloName: host(
    'Host name that is sent to outgoing mail servers in the EHLO command. Defaults to the DNS name of the outgoing IP address or of the machine.',
  ),
  proxyEnabled: flag(
    'If true, connections to mail servers use the proxy in `proxyUrl`, unless the account has a proxy. Defaults to false.',
  ),
  proxyUrl: url(
    'URL of the proxy for IMAP and SMTP connections to mail servers: `http:`, `https:`, `socks4:` or `socks5:`. Requires `proxyEnabled`.',
    'proxy-url-or-empty',
  ),
  httpProxyEnabled: flag(
    'If true, HTTP requests to other servers use the proxy in `httpProxyUrl`. Defaults to false.',
  ),
  httpProxyUrl: url(
    'URL of the proxy for HTTP requests to other servers: webhooks, authentication server, OAuth2, mail APIs, summaries and autoconfig. Requires `httpProxyEnabled`.',
    'proxy-url-or-empty',
  ),
  localAddresses: Nullable(
    Type.Array(Type.String({ maxLength: 45, format: 'ip-address' }), {
      maxItems: 1000,
      description:
        'Local IP addresses that connections to mail servers may use, see `smtpStrategy` and `imapStrategy`. None by default.',
    }),
  ),
  smtpStrategy: strategy('SMTP'),
  imapStrategy: strategy('IMAP'),
} as const

/** Schemas of the settings for the identification to IMAP servers, by setting name. */
export const imapIdSettings = {
  imapClientName: clientId('name', 'Defaults to `Posthorn`.'),
  imapClientVersion: clientId('version', 'Defaults to `1`.'),
  imapClientVendor: clientId('vendor', 'Defaults to `Posthorn`.'),
  imapClientSupportUrl: clientId('support-url', 'Not sent by default.'),
} as const

import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const unreachable = `Your mail provider cannot be reached at the moment. ${nothingToDo}`

/**
 * Advice table for failed connections to mail servers, and for servers that reject requests for a
 * while.
 */
export const connections: readonly AdviceRow[] = [
  {
    id: 'server-unavailable',
    codes: ['UNAVAILABLE', 'SERVERBUG', 'CORRUPTION', 'BYE'],
    meaning: 'The mail server has a fault or is under maintenance.',
    action:
      'Wait: the account reconnects automatically. If the error lasts, ask the provider for an outage.',
    ownerText: `Your mail provider has a fault at the moment. ${nothingToDo}`,
    guide: 'connect-accounts#what-can-go-wrong',
  },
  {
    id: 'mailbox-full',
    codes: ['OVERQUOTA'],
    meaning: 'The storage of the mailbox is full.',
    action: 'Ask the owner to delete messages, or raise the quota at the provider.',
    ownerText: 'Your mailbox is full. Please delete messages that you no longer need.',
    guide: 'errors#codes',
  },
  {
    id: 'mailbox-command-rejected',
    codes: ['ALREADYEXISTS', 'NONEXISTENT', 'CANNOT', 'TRYCREATE', 'CLIENTBUG', 'EXPUNGEISSUED'],
    meaning:
      'The mail server rejects a command about a mailbox or message, often because it changed in the meantime.',
    action: 'List the mailboxes of the account again. The next sync repairs the state.',
    ownerText: nothingToDo,
    guide: 'errors#400-the-request',
  },
  {
    id: 'connection-refused',
    codes: ['ECONNREFUSED'],
    meaning: 'No program accepts connections at this host and port.',
    action: 'Check host and port of the account. A firewall may block the port.',
    ownerText: unreachable,
    guide: 'connect-accounts#find-the-servers',
  },
  {
    id: 'connection-timeout',
    codes: ['ETIMEDOUT', 'ESOCKETTIMEDOUT', 'TIMEOUT'],
    meaning: 'The mail server did not respond in time.',
    action:
      'Check host and port, and whether a firewall drops the connection. The account reconnects automatically.',
    ownerText: unreachable,
    guide: 'connect-accounts#find-the-servers',
  },
  {
    id: 'host-not-found',
    codes: ['ENOTFOUND', 'EAI_AGAIN', 'EDNS', 'ENODATA'],
    meaning: 'The name of the mail server has no address.',
    action: 'Check the spelling of the host, and the name server of this installation.',
    ownerText: unreachable,
    guide: 'connect-accounts#find-the-servers',
  },
  {
    id: 'host-unreachable',
    codes: ['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
    meaning: 'No network path leads to the mail server.',
    action: 'Check the network, the routes and the local addresses of this installation.',
    ownerText: unreachable,
    guide: 'operate#watch',
  },
  {
    id: 'connection-lost',
    codes: [
      'ECONNRESET',
      'EPIPE',
      'ECONNECTION',
      'ECONNABORTED',
      'ECANCELED',
      'ESOCKET',
      'NoConnection',
      'EConnectionClosed',
    ],
    meaning: 'The mail server cannot be used: the connection failed or was closed.',
    action:
      'Wait: the account reconnects automatically. If the error lasts, check host, port and TLS of the account.',
    ownerText: unreachable,
    guide: 'connect-accounts#what-can-go-wrong',
  },
  {
    id: 'egress-blocked',
    codes: ['EEGRESSBLOCKED'],
    meaning:
      'The rules of this installation forbid connections to the address or port of the mail server.',
    action:
      'If the server is trusted, add it to `SVC_MAIL_ALLOWED_TARGETS` or change `SVC_MAIL_EGRESS_POLICY`.',
    ownerText: 'Connections to your mail server are not permitted. Please ask your operator.',
    guide: 'security#outgoing-connections',
  },
  {
    id: 'proxy-failed',
    codes: ['EPROXY'],
    meaning: 'The proxy between this installation and the mail server fails.',
    action: 'Check `proxy` of the account, or the settings `proxyUrl` and `proxyEnabled`.',
    ownerText: unreachable,
    guide: 'connect-accounts#what-can-go-wrong',
  },
  {
    id: 'certificate-expired',
    codes: ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'],
    meaning: 'The certificate of the mail server has expired or is not valid yet.',
    action:
      'Ask the operator of the mail server to renew the certificate. Check the clock of this machine.',
    ownerText: unreachable,
    guide: 'connect-accounts#what-can-go-wrong',
  },
  {
    id: 'certificate-wrong-name',
    codes: ['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'],
    meaning: 'The certificate of the mail server belongs to another host name.',
    action: 'Use the host name that the provider documents, which its certificate contains.',
    ownerText: unreachable,
    guide: 'connect-accounts#find-the-servers',
  },
  {
    id: 'certificate-untrusted',
    codes: [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ],
    meaning:
      'The certificate of the mail server comes from an authority that this installation does not trust.',
    action:
      'Install the certificate authority (`NODE_EXTRA_CA_CERTS`). Only for tests set `tls.rejectUnauthorized` to false.',
    ownerText: unreachable,
    guide: 'connect-accounts#what-can-go-wrong',
  },
  {
    id: 'tls-failed',
    codes: ['EPROTO', 'ETLS', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_UNSUPPORTED_PROTOCOL'],
    meaning:
      'The encryption of the connection could not be negotiated. Often `secure` does not fit the port.',
    action:
      'Use `secure: true` for ports 993 and 465, and `secure: false` (STARTTLS) for 143 and 587.',
    ownerText: unreachable,
    guide: 'connect-accounts#find-the-servers',
  },
  {
    id: 'protocol-error',
    codes: ['EPROTOCOL', 'ParserErrorExchange', 'ParserError', 'BAD'],
    meaning:
      'The server does not respond as a mail server: another service, a wrong port, or a fault of the server.',
    action:
      'Check the port of the account. Switch on `logs` of the account and read the log of the connection.',
    ownerText: unreachable,
    guide: 'connect-accounts#what-can-go-wrong',
  },
  {
    id: 'internal-error',
    codes: ['EINTERNAL', 'EUNEXPECTED'],
    meaning: 'An error inside Posthorn stopped the operation.',
    action: 'Read the log of the service at the time of the error, and report it.',
    ownerText: `The service has a fault. ${nothingToDo}`,
    guide: 'operate#watch',
  },
]

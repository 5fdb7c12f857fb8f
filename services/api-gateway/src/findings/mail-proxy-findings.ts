import { defined } from '@posthorn/contracts/defined'
import type { Finding } from '@posthorn/contracts/schemas/finding'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { MailProxyRow } from '../store/installation/mail-proxies.ts'

/** Time before the expiry of a certificate from which a finding reports the expiry. */
const renewalMs = 14 * 86_400_000

type Replica = Pick<
  MailProxyRow,
  'service' | 'hostName' | 'listener' | 'error' | 'certificateNames' | 'certificateExpiresAt'
>

export interface MailProxyState {
  replicas: readonly Replica[]
  settings: Pick<Settings, 'imapProxyServerEnabled' | 'smtpServerEnabled'>
  now: number
}

const mailProxies = [
  {
    service: 'imap-proxy',
    title: 'IMAP proxy',
    enabled: 'imapProxyServerEnabled',
    certificate: 'SVC_IMAP_PROXY_TLS_CERT',
    key: 'SVC_IMAP_PROXY_TLS_KEY',
  },
  {
    service: 'smtp-proxy',
    title: 'SMTP proxy',
    enabled: 'smtpServerEnabled',
    certificate: 'SVC_SMTP_PROXY_TLS_CERT',
    key: 'SVC_SMTP_PROXY_TLS_KEY',
  },
] as const
type MailProxy = (typeof mailProxies)[number]

/**
 * Findings about the mail proxies: listeners that the settings enable and that do not listen, and
 * certificates that have expired or expire soon.
 */
export function mailProxyFindings({ replicas, settings, now }: MailProxyState): Finding[] {
  return mailProxies.flatMap((proxy) => {
    const own = replicas.filter(({ service }) => service === proxy.service)
    if (own.length === 0) return settings[proxy.enabled] === true ? [noReplica(proxy)] : []
    return [...listenerFindings(proxy, own), ...certificateFindings(proxy, own, now)]
  })
}

function noReplica({ service, title, enabled }: MailProxy): Finding {
  return {
    id: `mailProxyMissing:${service}`,
    level: 'warning',
    title: `The ${title} is enabled, but does not run`,
    detail: `No running replica of ${service} reports its state. Mail clients cannot connect, unless replicas of an older release run.`,
    remedy: `Start ${service}, or read its log. If the ${title} is not needed, set ${enabled} to false.`,
  }
}

function listenerFindings({ service, title }: MailProxy, replicas: readonly Replica[]): Finding[] {
  const failed = replicas.filter(({ listener }) => listener === 'failed')
  const [first] = failed
  if (!first) return []
  return [
    {
      id: `mailProxyNotListening:${service}`,
      level: 'error',
      title: `The ${title} does not listen`,
      detail: `Replicas of ${service} that mail clients cannot connect to: ${failed.length} of ${replicas.length}. Reason on host ${first.hostName}: ${first.error ?? 'unknown'}.`,
      remedy: `Correct the address of the ${title} in the settings, its certificate, or the process that uses its port. The replicas try again every 2 seconds.`,
      count: failed.length,
    },
  ]
}

function certificateFindings(
  { service, title, certificate, key }: MailProxy,
  replicas: readonly Replica[],
  now: number,
): Finding[] {
  const due = replicas
    .flatMap(({ hostName, certificateNames, certificateExpiresAt: expiresAt }) =>
      expiresAt ? [{ hostName, names: certificateNames ?? [], expiresAt }] : [],
    )
    .filter(({ expiresAt }) => expiresAt.getTime() - now <= renewalMs)
    .toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime())
  const [first] = due
  if (!first) return []
  const hasExpired = first.expiresAt.getTime() <= now
  return [
    defined({
      id: `mailProxyCertificate:${service}`,
      level: hasExpired ? ('error' as const) : ('warning' as const),
      title: `The certificate of the ${title} ${hasExpired ? 'has expired' : 'expires soon'}`,
      detail: `The certificate for ${first.names.join(', ')} on host ${first.hostName} ${hasExpired ? 'expired' : 'expires'} at ${first.expiresAt.toISOString()}. Mail clients refuse an expired certificate.`,
      remedy: `Renew the certificate and replace the files that ${certificate} and ${key} name, the key last. The replicas load them within 2 seconds. If the variables contain the certificate itself, change them and restart ${service}.`,
      count: due.length,
      since: hasExpired ? first.expiresAt.toISOString() : undefined,
    }),
  ]
}

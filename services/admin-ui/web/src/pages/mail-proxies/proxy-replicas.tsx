import type { ListMailProxiesResult } from '@posthorn/client'
import type { Load } from '../../data/load-state.ts'
import type { MailProxyEntry } from '../../data/mail-proxies.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { type Column, DataTable } from '../../kit/table/data-table.tsx'
import type { MailProxy } from './proxy-fields.ts'
import { certificateBadge, listenerBadge, listenerText, type StateBadge } from './replica-texts.ts'

export interface ProxyReplicasProps {
  proxy: MailProxy
  load: Load<ListMailProxiesResult>
}

/** Running replicas of a mail proxy, with their listeners, certificates and sessions. */
export function ProxyReplicas({ proxy: { title, service }, load }: ProxyReplicasProps) {
  const own = ({ mailProxies }: ListMailProxiesResult) =>
    mailProxies.filter((each) => each.service === service)
  return (
    <Loaded
      load={load}
      isEmpty={(data) => own(data).length === 0}
      empty={<p>Running processes of {service} appear here. No process has sent a report.</p>}
    >
      {(data) => (
        <DataTable
          label={`Replicas of the ${title}`}
          rows={own(data)}
          columns={columnsAt(load.updatedAt)}
          keyOf={({ id }: MailProxyEntry) => id}
        />
      )}
    </Loaded>
  )
}

/** Columns of the table with the replicas of a mail proxy that was loaded at the time `now`. */
function columnsAt(now: number): readonly Column<MailProxyEntry>[] {
  return [
    { title: 'Host', isWide: true, cell: (replica) => <Host replica={replica} /> },
    { title: 'Listener', isWide: true, cell: (replica) => <Listener replica={replica} /> },
    {
      title: 'Certificate',
      isWide: true,
      cell: ({ certificate }) =>
        certificate ? <Certificate certificate={certificate} now={now} /> : 'none',
    },
    { title: 'Sessions', cell: ({ sessions }) => sessions.toLocaleString('en') },
    { title: 'Last report', cell: ({ reportedAt }) => <Time value={reportedAt} /> },
  ]
}

interface ReplicaProps {
  replica: MailProxyEntry
}

function Host({ replica: { id, hostName } }: ReplicaProps) {
  return (
    <>
      {hostName} <code>{id}</code>
    </>
  )
}

function Listener({ replica }: ReplicaProps) {
  return (
    <>
      <State badge={listenerBadge(replica)} /> {listenerText(replica)}
    </>
  )
}

interface CertificateProps {
  certificate: NonNullable<MailProxyEntry['certificate']>
  now: number
}

function Certificate({ certificate: { names, expiresAt }, now }: CertificateProps) {
  return (
    <>
      <State badge={certificateBadge(expiresAt, now)} /> {names.join(', ')}, expiry{' '}
      <Time value={expiresAt} />
    </>
  )
}

function State({ badge: { tone, text } }: { badge: StateBadge }) {
  return <Badge tone={tone}>{text}</Badge>
}

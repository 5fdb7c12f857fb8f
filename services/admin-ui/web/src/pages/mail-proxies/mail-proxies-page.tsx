import { useMailProxies } from '../../data/mail-proxies.ts'
import { useSettings, type SettingValues } from '../../data/settings.ts'
import { useRights } from '../../data/session.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { Facts, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { Skeleton } from '../../kit/states/skeleton.tsx'
import { AppLink } from '../../routing/navigation.tsx'
import { effectiveValue, type MailProxy, mailProxies, proxyKeys } from './proxy-fields.ts'
import { ProxyForm } from './proxy-form.tsx'
import { ProxyReplicas } from './proxy-replicas.tsx'

/** Page with the settings and the running replicas of the mail proxies. */
export function MailProxiesPage() {
  const load = useSettings(proxyKeys)
  const replicas = useMailProxies()
  const may = useRights()
  return (
    <PageBody lead="Servers to which mail clients connect. Only owners change their settings.">
      <Loaded load={load} lines={12}>
        {(stored) =>
          // The panels of the mail proxies appear after their replicas are loaded: a later change
          // of height would move what a person reads.
          replicas.data === undefined && replicas.error === null ? (
            <Skeleton lines={12} />
          ) : (
            <PageBody>
              {mailProxies.map((proxy) => (
                <Panel key={proxy.prefix} title={proxy.title}>
                  <ProxyReplicas proxy={proxy} load={replicas} />
                  <State proxy={proxy} stored={stored} />
                  {may('changeMailProxies') && <ProxyForm proxy={proxy} stored={stored} />}
                </Panel>
              ))}
            </PageBody>
          )
        }
      </Loaded>
    </PageBody>
  )
}

function State({ proxy, stored }: { proxy: MailProxy; stored: SettingValues }) {
  const { prefix, scope, variables } = proxy
  const valueOf = (end: string) => effectiveValue(stored, prefix + end)
  const isSmtp = prefix === 'smtpServer'
  return (
    <Facts
      rows={[
        ['Enabled', <Enabled key="enabled" isEnabled={valueOf('Enabled') === true} />],
        ['Address', `${String(valueOf('Host'))}, port ${String(valueOf('Port'))}`],
        ['TLS', valueOf('TLSEnabled') === true ? 'from the start' : 'STARTTLS with a certificate'],
        ['Certificate', `variables ${variables}_CERT and ${variables}_KEY of the service`],
        ['PROXY header', valueOf('Proxy') === true ? 'required from load balancers' : 'no'],
        isSmtp ? ['Login', <Login key="login" isNeeded={valueOf('AuthEnabled') === true} />] : none,
        ['Password', stored[`${prefix}Password`] === true ? 'set, not shown' : 'none'],
        [
          'Tokens',
          <AppLink key="tokens" to="/tokens">
            {`Tokens with the scope ${scope}`}
          </AppLink>,
        ],
      ]}
    />
  )
}

/** Row without a value, which a list of names and values does not show. */
const none = ['', undefined] as const

function Enabled({ isEnabled }: { isEnabled: boolean }) {
  if (!isEnabled) return <Badge tone="neutral">no</Badge>
  return <Badge tone="good">yes</Badge>
}

function Login({ isNeeded }: { isNeeded: boolean }) {
  if (isNeeded) return <Badge tone="good">required</Badge>
  return <Badge tone="bad">not required: each client may send for any account</Badge>
}

import { type Finding, type GetStatsResult, useFindings, useStats } from '../../data/overview.ts'
import { useRights } from '../../data/session.ts'
import { Badge, type Tone } from '../../kit/content/badge.tsx'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { AppLink } from '../../routing/navigation.tsx'
import { Curves } from './curves.tsx'
import css from './dashboard.module.css'
import { FigureLinks } from './figure-links.tsx'
import { accountFigures, countersWith, queueFigures } from './figures.ts'

/** State of the whole installation. Each figure links to its list. */
export function DashboardPage() {
  const stats = useStats()
  return (
    <PageBody>
      <Findings />
      <Loaded
        load={stats}
        lines={8}
        isEmpty={({ accounts }) => accounts === 0}
        empty={<NoAccounts />}
      >
        {(data) => (
          <>
            <Panel title="Accounts">
              <FigureLinks figures={accountFigures(data)} />
            </Panel>
            <Panel title="Outbox and webhooks">
              <FigureLinks figures={queueFigures(data)} />
            </Panel>
          </>
        )}
      </Loaded>
      <div className={css['columns']}>
        <Curves title="Events, 24 hours" keys={eventCurves} />
        <Curves title="API calls, 24 hours" keys={callCurves} />
      </div>
      {stats.data && <Counters stats={stats.data} />}
    </PageBody>
  )
}

const eventCurves = { 'events:messageNew': 'New messages', 'events:messageSent': 'Sent messages' }
const callCurves = { 'apiCall:success': 'Successful', 'apiCall:fail': 'Failed' }

function NoAccounts() {
  const may = useRights()
  return (
    <>
      <p>The states of your accounts appear here. There is no account yet.</p>
      {may('changeAccounts') && <AppLink to="/accounts/add">Add an account</AppLink>}
    </>
  )
}

const severityTones: Readonly<Record<Finding['severity'], Tone>> = {
  error: 'bad',
  warning: 'warn',
  info: 'neutral',
}

function Findings() {
  const load = useFindings()
  return (
    <Panel title="Findings">
      <Loaded
        load={load}
        lines={2}
        isEmpty={({ findings }) => findings.length === 0}
        empty={<p>No problem was found. Problems appear here with their remedies.</p>}
      >
        {({ findings }) => (
          <ul className={css['list']}>
            {findings.map(({ id, severity, title, remedy }) => (
              <li key={id}>
                <Badge tone={severityTones[severity] ?? 'neutral'}>{severity}</Badge>{' '}
                <strong>{title}</strong>
                <p>{remedy}</p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  )
}

function Counters({ stats }: { stats: GetStatsResult }) {
  return (
    <div className={css['columns']}>
      <CounterList title="Events, sums of 24 hours" rows={countersWith(stats, 'events:')} />
      <CounterList title="API calls, sums of 24 hours" rows={countersWith(stats, 'apiCall:')} />
    </div>
  )
}

interface CounterListProps {
  title: string
  rows: readonly (readonly [name: string, sum: number])[]
}

function CounterList({ title, rows }: CounterListProps) {
  return (
    <Panel title={title}>
      {rows.length === 0 ? (
        <p>Nothing was counted in the last 24 hours.</p>
      ) : (
        <dl className={css['counters']}>
          {rows.map(([name, sum]) => (
            <CounterRow key={name} name={name} sum={sum} />
          ))}
        </dl>
      )}
    </Panel>
  )
}

function CounterRow({ name, sum }: { name: string; sum: number }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{sum.toLocaleString('en')}</dd>
    </>
  )
}

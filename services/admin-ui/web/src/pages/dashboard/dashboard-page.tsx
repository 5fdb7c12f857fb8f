import { isSettled } from '../../data/load-state.ts'
import { type GetStatsResult, useFindings, useSeries, useStats } from '../../data/overview.ts'
import { useRights } from '../../data/session.ts'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { Skeleton } from '../../kit/states/skeleton.tsx'
import { AppLink } from '../../routing/navigation.tsx'
import { Curves } from './curves.tsx'
import css from './dashboard.module.css'
import { FigureLinks } from './figure-links.tsx'
import { accountFigures, countersWith, queueFigures } from './figures.ts'
import { Findings } from './findings.tsx'

/**
 * Page with the state of the whole installation. Each number links to the list of what it counts.
 * The page appears when all of its parts have their sizes, so that nothing moves.
 */
export function DashboardPage() {
  const stats = useStats()
  const findings = useFindings()
  const series = useSeries(curveKeys)
  if (![stats, findings, series].every(isSettled)) return <Skeleton lines={12} />
  return (
    <PageBody>
      <Findings load={findings} />
      <Loaded load={stats} isEmpty={({ accounts }) => accounts === 0} empty={<NoAccounts />}>
        {(data) => (
          <PageBody>
            <Panel title="Accounts">
              <FigureLinks figures={accountFigures(data)} />
            </Panel>
            <Panel title="Outbox and webhooks">
              <FigureLinks figures={queueFigures(data)} />
            </Panel>
          </PageBody>
        )}
      </Loaded>
      <div className={css['columns']}>
        <Curves title="Events, 24 hours" keys={eventCurves} load={series} />
        <Curves title="API calls, 24 hours" keys={callCurves} load={series} />
      </div>
      {stats.data && <Counters stats={stats.data} />}
    </PageBody>
  )
}

const eventCurves = { 'events:messageNew': 'New messages', 'events:messageSent': 'Sent messages' }
const callCurves = { 'apiCall:success': 'Successful', 'apiCall:fail': 'Failed' }
const curveKeys = Object.keys({ ...eventCurves, ...callCurves })

function NoAccounts() {
  const may = useRights()
  return (
    <>
      <p>The states of your accounts appear here. There is no account yet.</p>
      {may('changeAccounts') && <AppLink to="/add-account">Add an account</AppLink>}
    </>
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

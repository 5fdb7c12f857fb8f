import { isSettled } from '../../data/load-state.ts'
import { filtersOf } from '../../data/query-filters.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { changePause, type Target, targetsKey, useTargets } from '../../data/webhooks/targets.ts'
import { Badge } from '../../kit/content/badge.tsx'
import { Filters, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { QueryTextField } from '../../kit/forms/query-fields.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import type { Column } from '../../kit/table/data-table.tsx'
import { CursorList } from '../../kit/table/entry-list.tsx'
import { AppLink, usePageQuery } from '../../routing/navigation.tsx'
import { DefaultTargetCall } from './default-target-call.tsx'
import { durationText, hourText, responseText, stateOfTarget } from './target-texts.ts'
import { TestTargetButton, TestTargetForm } from './test-target.tsx'

const pageSize = 20

/** Page that lists the webhook targets, with the state of their deliveries. */
export function TargetsPage() {
  const [query] = usePageQuery()
  const may = useRights()
  const load = useTargets({ pageSize, ...filtersOf(query, ['address', 'cursor']) })
  return (
    <PageBody lead="Addresses to which webhooks are sent, with the state of their deliveries.">
      <Filters>
        <QueryTextField label="Target address" name="address" isSearch />
      </Filters>
      <CursorList
        load={load}
        lines={8}
        rows={({ targets }) => targets}
        empty={<NoTargets />}
        label="Targets"
        columns={columns}
        keyOf={(target: Target) => target.address}
        texts={{ first: 'First', next: 'Next' }}
      />
      {may('testTargets') && isSettled(load) && (
        <Panel title="Test a target">
          <TestTargetForm />
        </Panel>
      )}
    </PageBody>
  )
}

function NoTargets() {
  return (
    <>
      <p>No target matches. Targets appear here when they are set, or when an event is sent.</p>
      <DefaultTargetCall />
    </>
  )
}

const columns: readonly Column<Target>[] = [
  { title: 'Target', isWide: true, cell: (target) => <Address target={target} /> },
  { title: 'State', cell: (target) => <State target={target} /> },
  { title: 'Due', cell: ({ address, due }) => <Deliveries {...{ address, count: due }} /> },
  {
    title: 'Oldest due',
    cell: ({ oldestDueAt }) => (oldestDueAt === null ? '–' : <Time value={oldestDueAt} />),
  },
  {
    title: 'Failed',
    cell: ({ address, failed }) => <Deliveries {...{ address, count: failed, isFailed: true }} />,
  },
  { title: 'Last hour', cell: (target) => hourText(target) },
  { title: '95 % within', cell: ({ lastHour }) => durationText(lastHour.p95Ms) },
  { title: 'Last response', cell: (target) => <LastResponse target={target} /> },
  { title: 'Actions', cell: (target) => <TargetActions target={target} /> },
]

function Address({ target: { address, isDefault } }: { target: Target }) {
  return (
    <>
      {address} {isDefault && <Badge tone="neutral">default</Badge>}
    </>
  )
}

function State({ target }: { target: Target }) {
  const { tone, text } = stateOfTarget(target)
  return <Badge tone={tone}>{text}</Badge>
}

interface DeliveriesProps {
  address: string
  count: number
  isFailed?: boolean
}

/** Number of webhook deliveries of a target, as a link to their list. */
function Deliveries({ address, count, isFailed = false }: DeliveriesProps) {
  if (count === 0) return '0'
  return (
    <AppLink to="/deliveries" query={{ state: isFailed ? 'failed' : 'due', address }}>
      {count.toLocaleString('en')} {isFailed ? 'failed' : 'due'}
    </AppLink>
  )
}

function LastResponse({ target }: { target: Target }) {
  if (!target.lastResponse) return 'none'
  return (
    <>
      {responseText(target)} <Time value={target.lastResponse.at} />
    </>
  )
}

function TargetActions({ target }: { target: Target }) {
  const may = useRights()
  if (!may('changeSettings') && !may('testTargets')) return '–'
  return (
    <ButtonRow>
      {may('changeSettings') && <PauseButton target={target} />}
      {may('testTargets') && <TestTargetButton target={target} />}
    </ButtonRow>
  )
}

function PauseButton({ target: { address, paused } }: { target: Target }) {
  const change = useAction(changePause, { refresh: [targetsKey] })
  return (
    <>
      {paused ? (
        <Button onPress={() => change.run({ address, paused: false })} isPending={change.isRunning}>
          Resume
        </Button>
      ) : (
        <ConfirmButton
          action="Pause"
          kind="secondary"
          question={<p>Deliveries to {address} are stored, and sent when you resume the target.</p>}
          onConfirm={() => change.run({ address, paused: true })}
          isPending={change.isRunning}
        />
      )}
      {change.error && <ErrorBox error={change.error} />}
    </>
  )
}

import type { Bus } from '@posthorn/bus'
import { type Finding, findingLevels } from '@posthorn/contracts/schemas/finding'
import { optionsByAddress } from '@posthorn/contracts/target-address'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { compareSchema, type Db, readSettings } from '@posthorn/db'
import {
  countStates,
  findFailedExports,
  findFailingTargets,
  findLateDeliveries,
  findLateSubmissions,
  findOtherTargets,
  listPausedQueues,
  readPostgresClock,
} from '../store/installation/findings.ts'
import { listMailProxyRows } from '../store/installation/mail-proxies.ts'
import { listWorkerRows } from '../store/installation/workers.ts'
import { listPausedTargets } from '../store/webhooks/webhook-targets.ts'
import { accountFindings } from './account-findings.ts'
import { exportFindings } from './export-findings.ts'
import { mailProxyFindings } from './mail-proxy-findings.ts'
import { queueFindings } from './queue-findings.ts'
import { settingsFindings } from './settings-findings.ts'
import { type ClockReading, systemFindings } from './system-findings.ts'
import { pausedTargetFindings, targetFindings } from './target-findings.ts'
import { workerFindings } from './worker-findings.ts'

/**
 * Delay after which a finding reports a due entry of a work queue (submission or webhook delivery)
 * as late.
 */
const lateMs = 300_000
/**
 * Period before now in which failed webhook deliveries are reported. Failed exports have a longer
 * period.
 */
const deliveryPeriodMs = 3_600_000
const exportPeriodMs = 86_400_000
/** Maximum number of failing, and of paused, webhook targets that the findings report. */
const maxTargets = 10

export interface FindingDeps {
  db: Db
  bus: Pick<Bus, 'up'>
  requireApiAuth: boolean
  workerExpiryMs: number
}

/**
 * Checks the installation and returns the findings (problems with remedies), the most urgent first.
 * The queries run one after the other on one Postgres connection, and each has a limited cost.
 */
export async function listInstallationFindings(deps: FindingDeps): Promise<Finding[]> {
  const { db, bus, requireApiAuth, workerExpiryMs } = deps
  const settings = await readSettings(db)
  const needsAccounts = settings.webhooksEnabled === true && !settings.webhooks
  const otherTargets = await findOtherTargets(db, needsAccounts)
  const paused = pausedAddresses(settings)
  const late = {
    notify: await findLateDeliveries(db, { lateMs, paused }),
    submit: await findLateSubmissions(db, lateMs),
  }
  const failing = { withinMs: deliveryPeriodMs, limit: maxTargets }
  const findings = [
    ...workerFindings(await listWorkerRows(db, workerExpiryMs)),
    ...queueFindings({ paused: await listPausedQueues(db), late }),
    ...targetFindings(await findFailingTargets(db, failing)),
    ...pausedTargetFindings(await listPausedTargets(db, paused, maxTargets), Date.now()),
    ...accountFindings(await countStates(db)),
    ...exportFindings(await findFailedExports(db, exportPeriodMs)),
    ...mailProxyFindings({ replicas: await listMailProxyRows(db), settings, now: Date.now() }),
    ...settingsFindings({ settings, requireApiAuth, otherTargets }),
    ...systemFindings({
      schema: await compareSchema(db),
      clock: await readClocks(db),
      rabbitmq: bus.up,
    }),
  ]
  return findings.toSorted((a, b) => rank(a) - rank(b))
}

/** Addresses of the webhook targets that the setting `webhookTargets` pauses. */
function pausedAddresses({ webhookTargets }: Settings): string[] {
  const options = [...optionsByAddress(webhookTargets)]
  return options.flatMap(([address, { paused }]) => (paused ? [address] : []))
}

function rank({ level }: Finding): number {
  return findingLevels.indexOf(level)
}

async function readClocks(db: Db): Promise<ClockReading> {
  const startedAt = Date.now()
  const postgresAt = (await readPostgresClock(db)).getTime()
  return { startedAt, postgresAt, endedAt: Date.now() }
}

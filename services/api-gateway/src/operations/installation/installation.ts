import { operations } from '@posthorn/contracts/operations'
import { listInstallationFindings } from '../../findings/list-findings.ts'
import { handle, type OperationHandler } from '../../http/handle.ts'
import type { OperationDeps } from '../operation-deps.ts'
import { onGetStatsSeries } from './get-stats-series.ts'
import { onListMailProxies } from './mail-proxies.ts'
import { installationWorkerHandlers } from './workers.ts'

type InstallationDeps = Pick<OperationDeps, 'db' | 'bus' | 'requireApiAuth' | 'workerExpiryMs'>

/** Operations on the state of the installation, for its operators. */
export function installationHandlers(deps: InstallationDeps): OperationHandler[] {
  return [
    onGetStatsSeries(deps),
    handle(operations.listFindings, async () => ({
      findings: await listInstallationFindings(deps),
    })),
    ...installationWorkerHandlers(deps),
    onListMailProxies(deps),
  ]
}

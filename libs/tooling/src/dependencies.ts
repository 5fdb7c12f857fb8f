import { root, runProgram } from './commands.ts'

/** Path of the bill of materials (CycloneDX 1.7), relative to the project directory. */
export const billOfMaterials = '.local/sbom.cdx.json'

/**
 * Command that runs the package manager pnpm. The Makefile sets the command with the version to
 * use.
 */
const [command = '', ...firstArgs] = (process.env['PNPM'] ?? 'pnpm').split(' ')

const pnpm = (args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = root) =>
  runProgram(command, [...firstArgs, ...args], { env, cwd })

export interface AuditOptions {
  /** Directory that contains the lockfile of the npm packages. */
  cwd?: string
  /**
   * URL of the npm registry whose advisory database is used. Defaults to the configured registry.
   */
  registry?: string
  /**
   * True to continue without a failure if the npm registry's security advisories cannot be read.
   */
  acceptsUnreadable?: boolean
  /** Called with the reason of a failed check of the npm packages and the remedy, as text. */
  report?: (line: string) => void
}

/**
 * Compares the packages in the lockfile with the advisory database of the npm registry. Resolves
 * with false if an advisory of at least moderate severity applies, or if the advisories cannot be
 * read. `POSTHORN_AUDIT=optional` accepts that advisories cannot be read, and is meant for machines
 * without access to the database.
 */
export async function auditDependencies({
  cwd,
  registry,
  acceptsUnreadable = process.env['POSTHORN_AUDIT'] === 'optional',
  report = (line) => void process.stderr.write(`${line}\n`),
}: AuditOptions = {}): Promise<boolean> {
  const env = {
    PNPM_CONFIG_FETCH_RETRIES: '0',
    ...(registry === undefined ? {} : { PNPM_CONFIG_REGISTRY: registry }),
  }
  const unreadable = acceptsUnreadable ? ['--ignore-registry-errors'] : []
  const args = ['audit', ...unreadable, '--audit-level', 'moderate']
  const passes = (await pnpm(args, env, cwd)) === 0
  if (!passes) report(`audit of dependencies: ${remedy(acceptsUnreadable)}`)
  return passes
}

/**
 * Returns the advice that is printed after a failed `pnpm audit`. The advice mentions both possible
 * causes, because pnpm exits with the same code if an advisory applies and if the registry has no
 * advisories.
 */
function remedy(acceptsUnreadable: boolean): string {
  const update = 'an advisory listed above applies: update its package, then run `pnpm install`'
  if (acceptsUnreadable) return update
  return (
    `${update}. If pnpm reports an error of the registry instead, the advisories cannot be read: ` +
    'repeat the audit where the registry has them, or accept that with POSTHORN_AUDIT=optional'
  )
}

/**
 * Writes the bill of materials of the packages in the lockfile. Resolves with false if pnpm fails.
 */
export async function writeBillOfMaterials(cwd = root): Promise<boolean> {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  return (
    (await pnpm(['sbom', '--lockfile-only', ...format, '--out', billOfMaterials], {}, cwd)) === 0
  )
}

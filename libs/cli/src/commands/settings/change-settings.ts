import type { UpdateSettingsInput } from '@posthorn/client'
import { readSecretFile } from '../../connection/secret-input.ts'
import { CommandError, UsageError } from '../../exit-codes.ts'
import { readDocument } from '../../io/read-document.ts'
import type { CommandContext, RunCommand } from '../../program/command.ts'
import { parseAssignments, parseValue } from './parse-assignments.ts'
import {
  describeChange,
  planSettings,
  readSettingsOf,
  type SettingChange,
  type SettingValues,
} from './plan-settings.ts'
import { mask } from './secret-settings.ts'

/** Command `settings set`: changes the settings that the arguments name. */
export const setSettings: RunCommand = async (context, args) => {
  await update(context, parseAssignments(args))
}

/** Command that changes a secret setting, whose value comes from a file or a prompt. */
export const setSecret: RunCommand = async (context, [key = ''], options) => {
  const file = options['valueFile'] as string | undefined
  const text =
    file === undefined
      ? await context.prompt.secret(`Value of ${key}: `, {
          remedy: 'pass the file of the value with --value-file',
        })
      : await readSecretFile(file, context)
  if (text === '' || text === mask) throw new CommandError(`the value of ${key} is empty or a mask`)
  // Secret settings that are lists are given as JSON. A secret of digits stays a text.
  const value = /^\s*\[/.test(text) ? parseValue(text) : text
  await update(context, { [key]: value })
}

/**
 * Command `settings diff`: prints the differences between the settings in a file and on the server.
 */
export const diffSettings: RunCommand = async (context, [file = '']) => {
  await printChanges(context, await readPlan(context, file))
}

/**
 * Command `settings apply`: changes the settings of the server to the settings in a file, after a
 * confirmation.
 */
export const applySettings: RunCommand = async (context, [file = ''], options) => {
  const changes = await readPlan(context, file)
  await printChanges(context, changes)
  if (changes.length === 0) return
  const { prompt, progress } = context
  if (options['yes'] !== true && !(await prompt.confirm(`Change ${changes.length} settings?`)))
    throw new UsageError('not confirmed: nothing changed')
  const { posthorn, signal } = context
  await change(await posthorn(), changes, signal)
  progress.note(`changed ${changes.length} settings`)
}

async function readPlan(context: CommandContext, file: string): Promise<SettingChange[]> {
  const { posthorn, signal } = context
  const wanted = readSettingsOf(await readDocument(file, context), file)
  const stored = await (await posthorn()).getSettings({}, { signal })
  return planSettings(wanted, stored as SettingValues)
}

async function printChanges({ output }: CommandContext, changes: SettingChange[]): Promise<void> {
  if (!output.isJson)
    return output.lines(changes.length === 0 ? ['no differences'] : changes.map(describeChange))
  // Changed settings are printed without the values in the file, which may be secret.
  for (const { key, from } of changes) await output.result({ key, from }, '')
}

async function update(context: CommandContext, values: SettingValues): Promise<void> {
  const { posthorn, output, signal } = context
  const client = await posthorn()
  const body = values as UpdateSettingsInput['body']
  const result = await client.updateSettings({ body }, { signal })
  await output.result(result, `changed ${result.updated.join(', ') || 'nothing'}`)
}

async function change(
  client: Awaited<ReturnType<CommandContext['posthorn']>>,
  changes: readonly SettingChange[],
  signal: AbortSignal,
): Promise<void> {
  const body = Object.fromEntries(changes.map(({ key, to }) => [key, to]))
  await client.updateSettings({ body }, { signal })
}

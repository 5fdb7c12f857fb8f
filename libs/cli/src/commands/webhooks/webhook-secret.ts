import { readSecretFile } from '../../connection/secret-input.ts'
import type { CommandContext, OptionSpec, OptionValues } from '../../program/command.ts'

export const secretOption: OptionSpec = {
  flags: '--secret-file <path>',
  description:
    'file with the setting serviceSecret, or the key of the target in webhookSecrets (POSTHORN_WEBHOOK_SECRET, SVC_SERVICE_SECRET)',
}

/** Secret of webhook signatures: from the option `--secret-file`, or from the environment. */
export async function findWebhookSecret(
  options: OptionValues,
  context: Pick<CommandContext, 'terminal' | 'signal'>,
): Promise<string | undefined> {
  const file = options['secretFile'] as string | undefined
  if (file !== undefined) return readSecretFile(file, context)
  const { env } = context.terminal
  return env['POSTHORN_WEBHOOK_SECRET'] || env['SVC_SERVICE_SECRET'] || undefined
}

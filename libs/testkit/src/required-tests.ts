/** Tests that skip themselves on machines without the tools that they need. */
const skippableTests = ['upgrade', 'image', 'zsh'] as const
export type SkippableTest = (typeof skippableTests)[number]

/**
 * Prints why a test cannot run on this machine. `required` is the value of POSTHORN_REQUIRE_TESTS:
 * names of tests that must run, separated by commas.
 *
 * @throws Error if the test is required, or a required name is unknown
 */
export function reportSkip(
  name: SkippableTest,
  reason: string,
  required = process.env['POSTHORN_REQUIRE_TESTS'] ?? '',
): void {
  const names = required.split(',').filter((each) => each !== '')
  const permitted: readonly string[] = skippableTests
  const unknown = names.find((each) => !permitted.includes(each))
  if (unknown !== undefined)
    throw new Error(
      `POSTHORN_REQUIRE_TESTS: unknown test "${unknown}", use ${permitted.join(', ')}`,
    )
  if (names.includes(name))
    throw new Error(`the required test "${name}" cannot run: ${reason} (POSTHORN_REQUIRE_TESTS)`)
  process.stdout.write(`SKIPPED: ${name}: ${reason}\n`)
}

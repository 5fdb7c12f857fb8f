import { cacheDirectory } from '@posthorn/local/paths'
import { findKustomize, NoKustomize } from './kustomize.ts'

/**
 * Finds the program kustomize of this machine. Undefined without kustomize, so that tests that need
 * kustomize are skipped.
 */
export async function findOptionalKustomize(): Promise<string | undefined> {
  const { env } = process
  try {
    return await findKustomize({ cache: cacheDirectory(env), path: env['PATH'] ?? '' })
  } catch (error) {
    if (error instanceof NoKustomize) return undefined
    throw error
  }
}

import { cacheDirectory } from '@posthorn/local/paths'
import { findKustomize, NoKustomize } from './kustomize.ts'

/**
 * Returns the path of the program kustomize. Undefined if this machine has no kustomize, so that
 * tests can be skipped.
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

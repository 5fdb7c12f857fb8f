import { cacheDirectory } from '@posthorn/local/paths'
import { findKustomize, NoKustomize } from './kustomize.ts'

/** Program kustomize of this machine. Undefined without it, so that tests skip what needs it. */
export async function findOptionalKustomize(): Promise<string | undefined> {
  const { env } = process
  try {
    return await findKustomize({ cache: cacheDirectory(env), path: env['PATH'] ?? '' })
  } catch (error) {
    if (error instanceof NoKustomize) return undefined
    throw error
  }
}

import { join } from 'node:path'
import { checkout, localDirectory } from '@posthorn/local/paths'
import { copyReleaseManifests } from './copy-manifests.ts'

// Writes the Kubernetes manifests of a release into .local/release/k8s. The environment variables
// IMAGE and DIGEST name the container image of the release. Used by the release workflow.
const { IMAGE: repository, DIGEST: digest } = process.env
if (!repository || !digest) throw new Error('IMAGE and DIGEST must be set')
const target = join(localDirectory, 'release/k8s')
copyReleaseManifests(join(checkout, 'k8s'), target, { repository, digest })

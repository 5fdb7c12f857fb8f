import { listUnpinnedImages } from '../base-images.ts'
import { changelogFaults, releasedChangelogFaults, versionsOf } from './changelog.ts'
import { changelogFile, type Repository } from './repository.ts'
import { compareVersions, isVersion } from './version.ts'

/**
 * Checks a Git clone before a version is released from it. Each returned fault contains the remedy
 * or the position of the fault.
 */
export async function checkBeforeRelease(
  repository: Repository,
  version: string,
): Promise<string[]> {
  if (!isVersion(version)) return [`"${version}" is not a semantic version such as 1.0.0-rc.1`]
  const changelog = repository.read(changelogFile)
  const earlier = versionsOf(changelog).filter(isVersion)
  const newer = earlier.find((each) => compareVersions(each, version) >= 0)
  return [
    ...(newer === undefined ? [] : [`${version} does not follow ${newer} of the changelog`]),
    ...changelogFaults(changelog),
    ...(await checkClone(repository)),
  ]
}

/** Checks a Git clone whose commit is tagged as a version. Returns the faults. */
export async function checkReleased(repository: Repository, version: string): Promise<string[]> {
  if (!isVersion(version)) return [`"${version}" is not a semantic version such as 1.0.0-rc.1`]
  const tags = (await repository.git('tag', '--points-at', 'HEAD'))?.split('\n') ?? []
  return [
    ...(tags.includes(`v${version}`) ? [] : [`the commit has no tag v${version}`]),
    ...[...repository.versions()]
      .filter(([, other]) => other !== version)
      .map(([file, other]) => `${file}: the version is ${other}, not ${version}`),
    ...releasedChangelogFaults(repository.read(changelogFile), version),
    ...(await checkClone(repository)),
  ]
}

async function checkClone(repository: Repository): Promise<string[]> {
  const changes = await repository.git('status', '--porcelain')
  return [
    ...(changes === '' ? [] : [`the working tree has changes: commit or remove them\n${changes}`]),
    ...(await checkPreviousRelease(repository)),
    ...listUnpinnedImages(repository.folder).map(
      ({ file, reference }) => `${file}: ${reference} has no digest: run \`make base-images\``,
    ),
  ]
}

/**
 * Checks that the tests of the rolling upgrade start from the previous release. Returns the faults.
 */
async function checkPreviousRelease(repository: Repository): Promise<string[]> {
  const commit = repository.previousRelease()
  const head = await repository.git('rev-parse', 'HEAD')
  const isAncestor =
    commit !== head &&
    (await repository.git('merge-base', '--is-ancestor', commit, 'HEAD')) !== undefined
  if (!/^[0-9a-f]{40}$/.test(commit) || !isAncestor)
    return [
      `previousRelease: ${commit} is not a full hash of an earlier commit. In a shallow clone, run \`git fetch --unshallow --tags\``,
    ]
  const match = ['--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^']
  const tag = await repository.git('describe', ...match)
  const tagged = tag && (await repository.git('rev-parse', `${tag}^{commit}`))
  return tagged === undefined || tagged === '' || tagged === commit
    ? []
    : [`previousRelease: ${commit} is not the commit of ${tag}, ${tagged}`]
}

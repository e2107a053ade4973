/** Files that decide what a repository's CI runs, with the repository's secrets. */
const CI_PATHS =
  /^(?:\.(?:github|gitea|forgejo)\/(?:workflows|actions)\/|\.gitlab\/ci\/|\.(?:circleci|buildkite|woodpecker)\/|(?:\.gitlab-ci|\.travis|\.drone|\.woodpecker|azure-pipelines|bitbucket-pipelines)\.ya?ml$|jenkinsfile$)/iu;

export const isCiPath = (path: string): boolean => CI_PATHS.test(path);

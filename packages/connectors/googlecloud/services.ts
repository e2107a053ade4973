/** The services that are asked, and what each takes: an API enabled in the project, and a role that permits reading. */
export type GoogleService = 'logging' | 'monitoring' | 'cloudtrace' | 'clouderrorreporting' | 'cloudresourcemanager';

/** What each takes of the project's policy. */
export const SERVICES: Record<GoogleService, { title: string; api: string; permission: string; role: string }> = {
  logging: {
    title: 'Cloud Logging',
    api: 'logging.googleapis.com',
    permission: 'logging.logEntries.list',
    role: 'roles/logging.viewer',
  },
  monitoring: {
    title: 'Cloud Monitoring',
    api: 'monitoring.googleapis.com',
    permission: 'monitoring.timeSeries.list',
    role: 'roles/monitoring.viewer',
  },
  cloudtrace: {
    title: 'Cloud Trace',
    api: 'cloudtrace.googleapis.com',
    permission: 'cloudtrace.traces.list',
    role: 'roles/cloudtrace.user',
  },
  clouderrorreporting: {
    title: 'Error Reporting',
    api: 'clouderrorreporting.googleapis.com',
    permission: 'errorreporting.groups.list',
    role: 'roles/errorreporting.viewer',
  },
  cloudresourcemanager: {
    title: 'Cloud Resource Manager',
    api: 'cloudresourcemanager.googleapis.com',
    permission: 'resourcemanager.projects.get',
    role: 'roles/browser',
  },
};

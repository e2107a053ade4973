/** Written by `npm run types -w web` from the endpoints of the API; changes by hand are lost. */

export interface paths {
    "/error": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fails on purpose, to prove that errors are reported
         * @description Answers 500 with an error id, which is in the log as well.
         */
        get: operations["raiseError"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/test-eks-deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Smoke test of a deployment: what is running, and what it can reach */
        get: operations["testDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process can serve, and what is missing if not */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics of this process for Prometheus */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every team of this installation
         * @description Scopes: `system:admin`.
         */
        get: operations["listTeams"];
        put?: never;
        /**
         * Create a team
         * @description The answer holds the first API key of the team, which is shown this once.
         *
         *     Scopes: `system:admin`.
         */
        post: operations["createTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's team
         * @description Scopes: `team:read`.
         */
        get: operations["getTeam"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename the caller's team
         * @description Scopes: `team:admin`.
         */
        patch: operations["updateTeam"];
        trace?: never;
    };
    "/api/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whom the API key acts for, in which team, and what it may do */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The members of the caller's team
         * @description Scopes: `team:read`.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Add a person to the caller's team
         * @description Scopes: `team:admin`.
         */
        post: operations["addMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/team/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a person from the caller's team
         * @description API keys and links that act for this person in the team, or that they made, are revoked, and what came from those. Their sessions end.
         *
         *     Scopes: `team:admin`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The API keys of the caller's team
         * @description Scopes: `team:admin`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The answer holds the key, which is shown this once. A key cannot grant scopes it does not have itself, nor act for an admin other than the caller.
         *
         *     Scopes: `team:admin`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/api-keys/{api_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description It stops working at once in this process and within two seconds in every other, and so does what came from it: sessions, links and keys made with it, and with those. A key that revokes the key it was made with takes its place.
         *
         *     Scopes: `team:admin`.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a person can sign in */
        get: operations["getSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The browser's session, and its CSRF token */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign a browser in with an API key or a one-time link
         * @description Sets the cookie of the session. A session may do what the key or the link may, ends with the key, and ends by itself after `CASEBOOK_SESSION_HOURS`. The session that the browser had ends, and so does the oldest of a key that has 500.
         */
        post: operations["signIn"];
        /** Sign the browser out */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on in another team
         * @description For whoever signed in through the identity provider and is a member of several teams. A new session takes the place of the one that asks, and ends when that would have.
         */
        post: operations["changeSessionTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The sessions that are signed in
         * @description With the scope `team:admin` those of the whole team, otherwise one’s own; at most the newest 1,000.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description It stops working at once in this process and within two seconds in every other. Links and keys that were made in it are revoked too.
         */
        delete: operations["revokeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sign-in-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link that signs a browser in once
         * @description Scopes: `team:admin`.
         */
        post: operations["createSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/investigate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start an investigation
         * @description Answers at once; the investigation runs in the background. Poll it until its status is not processing.
         *
         *     Scopes: `investigations:write`.
         */
        post: operations["investigate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/investigations/{investigation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status and result of an investigation
         * @description Scopes: `investigations:read`.
         */
        get: operations["getInvestigation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/investigations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The team's investigations, newest first
         * @description Scopes: `investigations:read`.
         */
        get: operations["listInvestigations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/investigations/{investigation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything about an investigation: steps, tool calls, hypotheses, citations, usage and cost
         * @description Scopes: `investigations:read`.
         */
        get: operations["getInvestigationDetail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/investigations/{investigation_id}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The services around the suspect, with the way of the fault through their calls
         * @description From what the investigation itself found: while it runs, from what is known so far.
         *
         *     Scopes: `investigations:read`.
         */
        get: operations["getInvestigationGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/investigations/{investigation_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Live events of an investigation (server-sent events)
         * @description Replays from the start, or from Last-Event-ID (header, or the query parameter last_event_id), then follows until the run ends. Deltas carry the step and the attempt: a further turn.started of a step takes back the text of that step.
         *
         *     Scopes: `investigations:read`.
         */
        get: operations["streamInvestigationEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/investigations/{investigation_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a running investigation
         * @description In-flight tools are stopped. The status becomes cancelled a moment later.
         *
         *     Scopes: `investigations:write`.
         */
        post: operations["cancelInvestigation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/investigations/{investigation_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell a running investigation something
         * @description The next model turn reads it.
         *
         *     Scopes: `investigations:write`.
         */
        post: operations["addInvestigationMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/investigations/{investigation_id}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the same question again, as a new investigation
         * @description Scopes: `investigations:write`.
         */
        post: operations["rerunInvestigation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say something in a chat and get the answer, whole or as a stream
         * @description A turn goes on when the client goes away; read the chat or follow its stream again. A second turn while one runs is refused with 409 and Retry-After. To go on after a broken connection repeat the same request with Last-Event-ID (scope `chats:read`; another request: 409 `other_request`). investigation_id needs the scope `investigations:read`, the chat of a monitoring agent `monitoring:write`. The stream has the UI message stream form of the AI SDK (`x-vercel-ai-ui-message-stream: v1`). Order: `start` with messageId and chatId; then for each model turn its reasoning and its text, each as -start, -delta …, -end, one at a time; then `data-*` results of the turn, `error` (it failed) or `abort` (it was cancelled), `finish` and `[DONE]`. The text of a message is all of its text parts put together. `reset-step` takes back what came since the last `start-step`, or without steps since `start`: a model call that is repeated with other words, never doubles its text. With include=tools steps are marked (`start-step`, `finish-step`), and tool calls, results, plan and citations come as tool-* and data-* parts. Every event has an id: a request with Last-Event-ID goes on after it, on any node, and nothing is missed or repeated. With include=tools a place that is no longer known is refused with 409 `position_lost`; ask again without Last-Event-ID.
         *
         *     Scopes: `chats:write`.
         */
        post: operations["chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/{chat_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The stream of the turn that runs in a chat, or of its last one
         * @description From its beginning, or after Last-Event-ID (header, or the query parameter last_event_id); after the end of a turn, the newest turn when there is a newer one. The stream has the UI message stream form of the AI SDK (`x-vercel-ai-ui-message-stream: v1`). Order: `start` with messageId and chatId; then for each model turn its reasoning and its text, each as -start, -delta …, -end, one at a time; then `data-*` results of the turn, `error` (it failed) or `abort` (it was cancelled), `finish` and `[DONE]`. The text of a message is all of its text parts put together. `reset-step` takes back what came since the last `start-step`, or without steps since `start`: a model call that is repeated with other words, never doubles its text. With include=tools steps are marked (`start-step`, `finish-step`), and tool calls, results, plan and citations come as tool-* and data-* parts. Every event has an id: a request with Last-Event-ID goes on after it, on any node, and nothing is missed or repeated. With include=tools a place that is no longer known is refused with 409 `position_lost`; ask again without Last-Event-ID.
         *
         *     Scopes: `chats:read`.
         */
        get: operations["followChat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/{chat_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop the turn that runs in a chat
         * @description In-flight tools are stopped; what was said so far stays. The turn is cancelled a moment later.
         *
         *     Scopes: `chats:write`.
         */
        post: operations["cancelChatTurn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The team's chats, the latest first
         * @description Scopes: `chats:read`.
         */
        get: operations["listChats"];
        put?: never;
        post?: never;
        delete?: never;
        /** What can be asked of the list of chats */
        options: operations["chatOptions"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search what was said in the team's chats
         * @description Scopes: `chats:read`.
         */
        get: operations["searchChats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/{chat_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A chat: messages with their parts, tool calls, citations and usage, and the turn that runs
         * @description Messages have the form of the AI SDK’s UI messages. The newest turns come first into view; `before` pages back.
         *
         *     Scopes: `chats:read`.
         */
        get: operations["getChat"];
        put?: never;
        post?: never;
        /**
         * Delete a chat with everything that was said in it
         * @description A turn that runs is stopped. Investigations that the chat started stay. The chat of a monitoring agent goes with the agent: 409 `monitoring_agent`.
         *
         *     Scopes: `chats:write`.
         */
        delete: operations["deleteChat"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/{chat_id}/title": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Give a chat another title
         * @description A monitoring agent is called as its chat is: to rename that takes `monitoring:write` as well.
         *
         *     Scopes: `chats:write`.
         */
        patch: operations["updateChatTitle"];
        trace?: never;
    };
    "/api/chat-viz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Draw a chart from a chat or a tool result
         * @description A turn of the chat, or of a new one, that answers with a Vega-Lite specification. Its points are those of a stored tool result; with tool_id the key needs the scope to read that result. With stream=true it streams as POST /api/v1/chat does, with the chart as a `data-chart` part; format=svg answers with the picture.
         *
         *     Scopes: `chats:write`.
         */
        post: operations["chatViz"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/charts/{tool_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A chart that was drawn: its Vega-Lite specification, or with format=svg its picture
         * @description Scopes: `chats:read` for charts of chats, `investigations:read` for those of investigations.
         */
        get: operations["getChart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat-editor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a chat edit the files of the team's workspace
         * @description The changes of a turn become one commit, or with mode=propose a diff. Somebody else’s changes to the same paths meanwhile are a conflict: then nothing is written. With stream=true it streams as POST /api/v1/chat does, with the changes as a `data-changes` part.
         *
         *     Scopes: `chats:write`, `workspace:write`.
         */
        post: operations["chatEditor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/extract-citation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The chunks of a tool result that support a citation
         * @description Every chunk is found in the result by string search. Numbers are compared within the rounding that the text shows, across units and time zones; where the result says something else, there is no chunk. With a model key a model chooses among what matches; without one, or when it does not answer in time, the matcher does.
         *
         *     Scopes: `chats:read`.
         */
        post: operations["extractCitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tool-results/{tool_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The stored result of a tool call: what citations point to
         * @description Scopes: `chats:read` for results of chats, `investigations:read` for those of investigations, `monitoring:read` for those of checks.
         */
        get: operations["getToolResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tool-results/{tool_id}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The metric behind a tool call, as data for a chart
         * @description Scopes as for the result itself. A result that holds no series is a 404 with the code `no_series`. Tool calls say `has_series` where their results are series for certain.
         */
        get: operations["getToolResultSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The telemetry sources of the team, with the alerts they know
         * @description Each source has five seconds to say what it is; one that does not is in the list with an `error`. Scope: one of `investigations:read`, `chats:read`, `monitoring:read`.
         */
        get: operations["listSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources/{source_id}/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The services that a source knows
         * @description A source that does not offer services is a 404 with the code `not_offered`. Scope: one of `investigations:read`, `chats:read`, `monitoring:read`.
         */
        get: operations["listSourceServices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources/{source_id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics of a source, by words and service
         * @description A source that does not offer metrics is a 404 with the code `not_offered`. Scope: one of `investigations:read`, `chats:read`, `monitoring:read`.
         */
        get: operations["searchSourceMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have something watched: say what, and get the plan by which a new agent watches it
         * @description With chat_id it is said to an agent that exists, whose plan changes in conversation. With a plan the agent begins with it, and no model is asked. With stream=true it streams as POST /api/v1/chat does; read the plan at /api/monitoring-chat/{chat_id}/plan then. An agent whose plan could not be drafted stays, and is degraded: 502 `turn_failed` with its chat_id. To resume a stream with Last-Event-ID takes `chats:read` or `monitoring:read`.
         *
         *     Scopes: `monitoring:write`.
         */
        post: operations["monitoringChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The team's monitoring agents and how they stand
         * @description Scopes: `monitoring:read`.
         */
        get: operations["listMonitoringChats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A monitoring agent and how it stands
         * @description Scopes: `monitoring:read`.
         */
        get: operations["getMonitoringChat"];
        put?: never;
        post?: never;
        /**
         * Delete a monitoring agent with its chat, plans, sessions and findings
         * @description Its workflow is cancelled; a check that runs is stopped. Investigations that it opened stay.
         *
         *     Scopes: `monitoring:write`.
         */
        delete: operations["deleteMonitoringChat"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a monitoring agent
         * @description Checks that run are stopped, and nothing of them is reported. Pausing one that is paused changes nothing.
         *
         *     Scopes: `monitoring:write`.
         */
        post: operations["pauseMonitoringChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a monitoring agent: every check is run at once
         * @description Resuming one that is active changes nothing.
         *
         *     Scopes: `monitoring:write`.
         */
        post: operations["resumeMonitoringChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run checks of a monitoring agent now
         * @description All, or those named. The schedule goes on as before. Sessions show what came of it.
         *
         *     Scopes: `monitoring:write`.
         */
        post: operations["runMonitoringChecks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The plan of a monitoring agent, and how each of its checks stands
         * @description Answered by the running workflow; by the database when no worker answers within a second.
         *
         *     Scopes: `monitoring:read`.
         */
        get: operations["getMonitoringPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the plan of a monitoring agent, pause or resume it
         * @description Takes effect at once: checks that are changed or removed while they run are stopped, and those that are new or changed run. A plan that is not valid is refused with every reason, and nothing is changed.
         *
         *     Scopes: `monitoring:write`.
         */
        patch: operations["updateMonitoringPlan"];
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}/plan/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The versions of a plan, the newest first: who changed what, and why
         * @description Scopes: `monitoring:read`.
         */
        get: operations["listMonitoringPlanVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where a monitoring agent reports, and what it may take
         * @description Scopes: `monitoring:read`.
         */
        get: operations["getMonitoringConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change where a monitoring agent reports, how long sessions are kept, or what models may cost
         * @description Scopes: `monitoring:write`.
         */
        patch: operations["updateMonitoringConfig"];
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}/config/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message to the notification channel of a monitoring agent
         * @description Tried once; the answer says whether it was taken, and if not, why. At most 10 in ten minutes for one agent: then 429.
         *
         *     Scopes: `monitoring:write`.
         */
        post: operations["testMonitoringChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the checks of an agent said, the newest first
         * @description Each run of a check is a session. They are deleted after the eviction hours of the agent.
         *
         *     Scopes: `monitoring:read`.
         */
        get: operations["listMonitoringSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One run of a check, with what it rests on
         * @description Scopes: `monitoring:read`.
         */
        get: operations["getMonitoringSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitoring-chat/{chat_id}/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an agent found, the newest first
         * @description Scopes: `monitoring:read`.
         */
        get: operations["listMonitoringFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The team's findings, the newest first: of all its agents, and alerts from outside
         * @description Scopes: `monitoring:read`.
         */
        get: operations["listFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/findings/{finding_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One finding: what reports it, what it rests on, and what was told of it
         * @description Notifications that could not be delivered say why.
         *
         *     Scopes: `monitoring:read`.
         */
        get: operations["getFinding"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/monitor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell of an alert or a deploy, or have checks run now
         * @description For tools that send webhooks: have them send the header `Authorization: Bearer API_KEY`. The form of the body is recognised; it is one of these:
         *
         *     - Prometheus Alertmanager, with this receiver:
         *
         *     ```yaml
         *     webhook_configs:
         *       - url: https://casebook.example.org/api/monitor
         *         max_alerts: 200
         *         http_config: { authorization: { type: Bearer, credentials: API_KEY } }
         *     ```
         *
         *     - Grafana Alerting: a contact point of the kind webhook.
         *     - PagerDuty: a webhook subscription (version 3). `incident.triggered`, `incident.reopened` and `incident.resolved` count, other events are ignored.
         *     - Datadog: a webhook with this payload (its default payload is understood as well):
         *
         *     ```json
         *     {
         *       "alert_id": "$ALERT_ID",
         *       "alert_title": "$ALERT_TITLE",
         *       "alert_transition": "$ALERT_TRANSITION",
         *       "alert_type": "$ALERT_TYPE",
         *       "alert_priority": "$ALERT_PRIORITY",
         *       "alert_scope": "$ALERT_SCOPE",
         *       "alert_status": "$ALERT_STATUS",
         *       "aggreg_key": "$AGGREG_KEY",
         *       "title": "$EVENT_TITLE",
         *       "body": "$TEXT_ONLY_MSG",
         *       "tags": "$TAGS",
         *       "date": "$DATE",
         *       "link": "$LINK",
         *       "snapshot": "$SNAPSHOT"
         *     }
         *     ```
         *
         *     - Our own: `{"type": "alert", "title": …}`, `{"type": "deploy", "service": …}`, `{"type": "check_now"}`.
         *     - Any other object with a title or a text: an alert.
         *
         *     An alert that fires becomes a finding, and is investigated. One that comes again, by its fingerprint, is the same finding; one that is over ends it. With `chat_id` it is reported to the channel of that agent, whose checks are run as well. An alert with the label `severity: none` (Watchdog) is for nobody and ignored. At most 200 alerts of one request are taken, those that fire first.
         *
         *     A deploy has the checks of active agents run now; reported again within ten minutes (by its fingerprint: service, version and environment unless given) it is the same. Repeating a request that was answered with 503 is harmless.
         *
         *     Scopes: `monitoring:trigger`.
         */
        post: operations["triggerMonitoring"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/satellite/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The satellites of a team, by name
         * @description Scopes: `satellites:read`.
         */
        get: operations["listSatellites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/satellite/{satellite_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A satellite, its connectors and their health
         * @description Scopes: `satellites:read`.
         */
        get: operations["getSatellite"];
        put?: never;
        post?: never;
        /**
         * Delete the registration of a satellite
         * @description Only the registration: a satellite that is running registers again with its next heartbeat, under the same id. Revoke its token to keep it away.
         *
         *     Scopes: `satellites:write`.
         */
        delete: operations["deleteSatellite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/satellite/{satellite_id}/clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The Kubernetes clusters that a satellite sees, and what is wrong in them
         * @description Scopes: `satellites:read`.
         */
        get: operations["listSatelliteClusters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/satellite/{satellite_id}/dependencies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The live dependency graph as one satellite sees it
         * @description Scopes: `satellites:read`.
         */
        get: operations["getSatelliteDependencies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/satellite/tools/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The MCP tools that the satellites of a team offer
         * @description Scopes: `satellites:read`.
         */
        get: operations["listSatelliteTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/satellite/query/integration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a system behind a satellite
         * @description Runs one operation of a connector and answers with its result. Nothing is written. A satellite that is offline is a 503 with `last_seen`; a query whose satellite loses its connection is asked once more within the time.
         *
         *     Scopes: `satellites:query`.
         */
        post: operations["querySatelliteIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/satellite/query/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a tool of an MCP server behind a satellite
         * @description Answers with what the server answered, whole; a tool that reports an error is a 200 with `isError` in its result. Tools that are not known to change nothing need the scope satellites:act.
         *
         *     Scopes: `satellites:query`.
         */
        post: operations["callSatelliteTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/satellite/query/dependencies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a service calls, what depends on it, or what is affected if it fails
         * @description Over the live graphs of all satellites of the team, or of one. Of a failing service every service is affected that needs it, directly or not; how much is estimated from call rates, taking every call for needed. `unknown` says what is not known. A service that no call was seen of is a 404 with similar names in `near`.
         *
         *     Scopes: `satellites:query`.
         */
        post: operations["querySatelliteDependencies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/satellite-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tokens of the team, the newest first
         * @description Scopes: `satellites:read`.
         */
        get: operations["listSatelliteTokens"];
        put?: never;
        /**
         * Make a token that satellites of the team connect with
         * @description The token is in this answer and nowhere else. It lets satellites of this one team connect, and nothing more.
         *
         *     Scopes: `satellites:write`.
         */
        post: operations["createSatelliteToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/satellite-tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description Satellites that are connected with it are disconnected within seconds.
         *
         *     Scopes: `satellites:write`.
         */
        delete: operations["revokeSatelliteToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        TeamCreateRequest: {
            name: string;
            /** Format: email */
            admin_email: string;
            admin_name: string;
        };
        TeamUpdateRequest: {
            name: string;
        };
        MemberAddRequest: {
            /** Format: email */
            email: string;
            name: string;
            /**
             * @default member
             * @enum {string}
             */
            role: "admin" | "member";
        };
        ApiKeyCreateRequest: {
            name: string;
            scopes: ("investigations:read" | "investigations:write" | "chats:read" | "chats:write" | "chats:act" | "workspace:read" | "workspace:write" | "satellites:read" | "satellites:query" | "satellites:act" | "satellites:write" | "monitoring:read" | "monitoring:write" | "monitoring:trigger" | "team:read" | "team:admin" | "system:admin")[];
            /** Format: uuid */
            user_id?: string;
            /** @description When it stops working. Default: never, or when the key does that it is made with. */
            expires_at?: string | null;
        };
        SessionRequest: {
            api_key: string;
        } | {
            /** @description The token of a one-time link. */
            link: string;
            /**
             * Format: uuid
             * @description Made up by the browser. A request whose answer was lost is repeated with the same one, within two minutes.
             */
            attempt?: string;
        };
        SessionTeamRequest: {
            /** Format: uuid */
            team_id: string;
        };
        SignInLinkCreateRequest: {
            /**
             * Format: uuid
             * @description A member of the team, who may do what their role allows. Default: what the caller may do.
             */
            user_id?: string;
            /** @default 3600 */
            expires_in_seconds: number;
            /**
             * @description Where the link leads to.
             * @default /
             * @example /investigations
             */
            path: string;
        };
        InvestigateRequest: {
            /** @description Prompt describing the issue to investigate. */
            query: string;
        };
        InvestigationMessageRequest: {
            text: string;
        };
        ChatRequest: {
            /** @description What is said; the last message is the question. With chat_id only what is new, or everything so far with the new messages at its end. */
            messages: components["schemas"]["ChatMessage"][];
            /** @description Id of an existing chat to continue. */
            chat_id?: string;
            /** @description Model identifier. Without a model provider the offline model answers, whatever is named. */
            model?: string;
            /** @description In place of who Casebook is and how it answers, for this turn. The rules about evidence and tool output stay. */
            system_prompt?: string;
            /** @description Whether turns of this chat may use tools that change something outside. Needs the scope chats:act. */
            allow_side_effects?: boolean;
            /**
             * Format: uuid
             * @description For a new chat: the investigation it is about.
             */
            investigation_id?: string;
        };
        ChatMessage: {
            /** @enum {string} */
            role: "user" | "assistant";
            /** @description Message text. */
            content: string;
        };
        ChatTitleUpdateRequest: {
            title: string;
        };
        ChatVizRequest: {
            /** @description What the chart is to show. */
            prompt?: string;
            /** @description Id of an existing chat to continue. */
            chat_id?: string;
            /**
             * Format: uuid
             * @description The tool result to draw, of a chat or an investigation.
             */
            tool_id?: string;
            /** @description Model identifier. Without a model provider the offline model answers, whatever is named. */
            model?: string;
            /**
             * @description svg answers with the picture.
             * @enum {string}
             */
            format?: "json" | "svg";
            /** @description Answer with server-sent events; also as a query parameter. */
            stream?: boolean;
        };
        ChatEditorRequest: {
            /** @description What is said; the last message is the question. With chat_id only what is new, or everything so far with the new messages at its end. */
            messages: components["schemas"]["ChatMessage"][];
            /** @description Id of an existing chat to continue. */
            chat_id?: string;
            /** @description Model identifier. Without a model provider the offline model answers, whatever is named. */
            model?: string;
            /**
             * @description apply commits the changes; propose answers with their diff and changes nothing.
             * @default apply
             * @enum {string}
             */
            mode: "apply" | "propose";
            /** @description Answer with server-sent events; also as a query parameter. */
            stream?: boolean;
        };
        CitationExtractionRequest: {
            /** @description The full data that a tool returned: text, or any JSON value. Excerpts of text are pieces of that text; excerpts of any other value are pieces of its JSON exactly as it was sent. */
            tool_result: unknown;
            /** @description The number of the citation in the text: a whole number, or its digits. */
            citation_id: number | string;
            /** @description The text that cites the tool result, as [1], [1, 3], [1-3], [^1], 【1】 and the like. A text without any citation is a claim as a whole; one that cites other numbers only has no excerpts. */
            text_with_citation: string;
        };
        /**
         * @example {
         *       "message": "Watch the queue of orders every minute; tell us when it is longer than 100.",
         *       "notification_channel": {
         *         "type": "slack",
         *         "bot_token": "xoxb-0000000000",
         *         "channel": "#ops"
         *       }
         *     }
         * @example {
         *       "message": "Watch the health of the shop.",
         *       "title": "Shop",
         *       "plan": {
         *         "checks": [
         *           {
         *             "id": "health",
         *             "title": "Health of all services",
         *             "check": {
         *               "type": "service_health",
         *               "source": "prometheus"
         *             },
         *             "schedule": {
         *               "every_seconds": 300
         *             }
         *           }
         *         ]
         *       }
         *     }
         */
        MonitoringChatRequest: {
            /** @description What to watch, how often, what to tell; or what is to be different; or a question. */
            message?: string;
            /** @description The same as message. */
            description?: string;
            /** @description Id of an agent that exists, to change it in conversation. */
            chat_id?: string;
            /** @description What a new agent is called; absent: named after its description. */
            title?: string;
            /** @description The whole plan of a new agent: it begins with it, and no model is asked. */
            plan?: components["schemas"]["MonitoringPlan"];
            /** @description false: the new agent is paused until it is resumed. */
            active?: boolean;
            /** @description Where a new agent reports; absent: nowhere. */
            notification_channel?: components["schemas"]["NotificationChannel"];
            /** @description Sessions are deleted after so many hours. */
            eviction_hours?: number;
            /** @description US dollars that models may cost within 24 hours, in checks and in judging findings; beyond them such checks are not carried out. Investigations that findings open have bounds of their own. */
            model_budget_usd_per_day?: number;
            /** @description The model that answers this message. */
            model?: string;
        };
        MonitoringPlan: {
            /**
             * @description What the agent watches, in a sentence or two.
             * @default
             */
            summary: string;
            /** @default [] */
            checks: components["schemas"]["MonitoringCheck"][];
        };
        MonitoringCheck: {
            id: string;
            title: string;
            /**
             * @description false: it is not run.
             * @default true
             */
            enabled: boolean;
            check: components["schemas"]["CheckSubject"];
            schedule: components["schemas"]["Schedule"];
            /**
             * @default warning
             * @enum {string}
             */
            severity: "info" | "warning" | "critical";
            /**
             * @description Findings with an equal key are one; `{check}` and `{subject}` are filled in.
             * @default {check}/{subject}
             */
            dedup_key: string;
            /**
             * @description What happens on a finding.
             * @default [
             *       "notify",
             *       "investigate"
             *     ]
             */
            on_finding: ("notify" | "investigate")[];
            /**
             * @description Whether a model looks at a finding before anybody is told.
             * @default false
             */
            judge: boolean;
            /**
             * @description So many runs in a row must find something before it is a finding.
             * @default 1
             */
            confirmations: number;
            /**
             * @description So many runs in a row must find nothing before it is resolved.
             * @default 2
             */
            recoveries: number;
            /**
             * @description One that comes back within this time after it was resolved is the same finding.
             * @default 900
             */
            cool_down_seconds: number;
        };
        CheckSubject: {
            /** @constant */
            type: "metric";
            /** @description Id of a source of telemetry, as list_sources gives it to agents: prometheus, for example. */
            source: string;
            /** @description Either a metric by name, or a PromQL expression where the source has it. */
            metric?: string;
            promql?: string;
            service?: string;
            statistic?: string;
            labels?: {
                [key: string]: string;
            };
            /**
             * @description How much time up to now is looked at.
             * @default 300
             */
            window_seconds: number;
            /**
             * @description What is made of the window's points.
             * @default mean
             * @enum {string}
             */
            aggregate: "last" | "mean" | "median" | "max" | "min";
            condition: {
                /** @constant */
                type: "threshold";
                /** @enum {string} */
                operator: ">" | ">=" | "<" | "<=" | "==" | "!=";
                value: number;
            } | {
                /** @constant */
                type: "baseline";
                /**
                 * @default above
                 * @enum {string}
                 */
                direction: "above" | "below" | "both";
                /**
                 * @description How far from the median is unusual, in robust standard deviations.
                 * @default 4
                 */
                deviations: number;
                /**
                 * @description How much history it is learned from, before the window.
                 * @default 3600
                 */
                history_seconds: number;
                /**
                 * @description A change smaller than this, in the metric's own unit, is never a finding.
                 * @default 0
                 */
                least_change: number;
            };
            /**
             * @description What no data means: that the check could not be carried out, that all is well, or a finding.
             * @default fails
             * @enum {string}
             */
            no_data: "fails" | "ok" | "finding";
        } | {
            /** @constant */
            type: "log_pattern";
            /** @description Id of a source of telemetry, as list_sources gives it to agents: prometheus, for example. */
            source: string;
            service?: string;
            /** @description Text that a line must contain, in any case; `*` stands for anything. Absent: every line. */
            pattern?: string;
            /** @enum {string} */
            level?: "error" | "warn" | "info" | "debug";
            /**
             * @description How much time up to now is looked at.
             * @default 300
             */
            window_seconds: number;
            condition: {
                /** @constant */
                type: "count";
                /** @default 1 */
                at_least: number;
            } | {
                /** @constant */
                type: "new_pattern";
                /** @default 3600 */
                history_seconds: number;
                /** @default 3 */
                at_least: number;
            };
        } | {
            /** @constant */
            type: "service_health";
            /** @description Id of a source of telemetry, as list_sources gives it to agents: prometheus, for example. */
            source: string;
            /** @description Absent: every service of the source. */
            services?: string[];
            /**
             * @description How much time up to now is looked at.
             * @default 300
             */
            window_seconds: number;
            /**
             * @description How much history is usual, before the window.
             * @default 3600
             */
            history_seconds: number;
            /** @default 6 */
            deviations: number;
        } | {
            /** @constant */
            type: "dependency";
            /** @description Id of a source of telemetry, as list_sources gives it to agents: prometheus, for example. */
            source: string;
            caller?: string;
            callee?: string;
            /**
             * @description How much time up to now is looked at.
             * @default 300
             */
            window_seconds: number;
            condition: {
                /** @constant */
                type: "error_ratio";
                above: number;
            } | {
                /** @constant */
                type: "p95_seconds";
                above: number;
            } | {
                /** @constant */
                type: "missing";
            };
        } | {
            /** @constant */
            type: "mcp_tool";
            /** @description The name of a reading tool of the team, as an investigation has it. */
            tool: string;
            /** @default {} */
            arguments: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            condition: {
                /** @constant */
                type: "contains";
                text: string;
            } | {
                /** @constant */
                type: "lacks";
                text: string;
            } | {
                /** @constant */
                type: "value";
                pointer: string;
                /** @enum {string} */
                operator: ">" | ">=" | "<" | "<=" | "==" | "!=";
                value: number | string | boolean;
            };
        } | {
            /** @constant */
            type: "instruction";
            /** @description What the agent is to do with its tools, and what is a finding. */
            instruction: string;
            /** @default 12 */
            max_steps: number;
            /** @default 5 */
            max_minutes: number;
        };
        /** @description Any JSON value. */
        JsonValue: string | number | boolean | null | components["schemas"]["JsonValue"][] | {
            [key: string]: components["schemas"]["JsonValue"];
        };
        Schedule: {
            /** @description Either this or cron. */
            every_seconds?: number;
            /** @description Five fields: minute, hour, day of month, month, weekday. */
            cron?: string;
            /**
             * @description Of the cron expression and of quiet hours.
             * @default UTC
             */
            time_zone: string;
            /**
             * @description When it is not run.
             * @default []
             */
            quiet_hours: components["schemas"]["QuietHours"][];
        };
        QuietHours: {
            /** @description The days on which it begins; absent: every day. */
            days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            from: string;
            to: string;
        };
        NotificationChannel: components["schemas"]["SlackChannel"] | components["schemas"]["SlackWebhookChannel"] | components["schemas"]["WebhookChannel"] | components["schemas"]["EmailChannel"];
        SlackChannel: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "slack";
            /** @description Needs the scope chat:write. */
            bot_token: string;
            /** @description Id of the channel (C0123456789), or its name (#ops). */
            channel: string;
        };
        SlackWebhookChannel: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "slack_webhook";
            /**
             * Format: uri
             * @description The URL that Slack shows for the webhook. It is a secret.
             */
            url: string;
        };
        WebhookChannel: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "webhook";
            /** Format: uri */
            url: string;
            /** @description Signs what is sent: Base64 after whsec_, or any text, whose bytes are the key. Absent: one is made, and shown once. */
            secret?: string;
        };
        EmailChannel: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "email";
            to: string[];
        };
        RunChecksRequest: {
            /** @description Absent: all. */
            checks?: string[];
        };
        /**
         * @example {
         *       "plan": {
         *         "checks": [
         *           {
         *             "id": "queue",
         *             "check": {
         *               "condition": {
         *                 "value": 500
         *               }
         *             }
         *           },
         *           {
         *             "id": "old",
         *             "remove": true
         *           }
         *         ]
         *       },
         *       "version": 3,
         *       "reason": "The queue is longer since the sale began."
         *     }
         * @example {
         *       "active": false,
         *       "reason": "Maintenance until six."
         *     }
         */
        UpdatePlanRequest: {
            /** @description Merged into the plan: checks by their id, members of a check by their name, null removes one; {"id": …, "remove": true} removes a check. */
            plan?: components["schemas"]["MonitoringPlanPatch"] | components["schemas"]["MonitoringPlan"];
            /**
             * @description The plan given is the whole plan.
             * @default false
             */
            replace: boolean;
            /** @description false pauses the agent, true resumes it. */
            active?: boolean;
            /** @description The version that the change was made for; another one is a 409. */
            version?: number;
            /** @description Why, for the history of the plan. */
            reason?: string;
        };
        MonitoringPlanPatch: {
            summary?: string;
            checks?: components["schemas"]["MonitoringCheckPatch"][];
        };
        /** @description Members of a MonitoringCheck that are to change, merged into the check with this id as in RFC 7396: objects are merged, lists and values replaced, null takes an optional member out. Another type of a check or condition replaces it whole; every_seconds replaces cron and the other way round. A check with an id that is not in the plan is added at its end. */
        MonitoringCheckPatch: {
            id: string;
            /**
             * @description Takes the check out of the plan.
             * @constant
             */
            remove?: true;
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        };
        /**
         * @example {
         *       "notification_channel": {
         *         "type": "webhook",
         *         "url": "https://hooks.example.com/casebook"
         *       },
         *       "eviction_hours": 168
         *     }
         * @example {
         *       "notification_channel": null
         *     }
         */
        UpdateAgentChannelRequest: {
            /** @description Where it reports; null: nowhere. */
            notification_channel?: components["schemas"]["NotificationChannel"] | null;
            /** @description Sessions are deleted after so many hours. */
            eviction_hours?: number;
            /** @description US dollars that models may cost within 24 hours, in checks and in judging findings; beyond them such checks are not carried out. Investigations that findings open have bounds of their own. */
            model_budget_usd_per_day?: number;
            /** @description What the agent is called. */
            title?: string;
        };
        MonitorRequest: components["schemas"]["AlertTrigger"] | components["schemas"]["DeployTrigger"] | components["schemas"]["CheckNowTrigger"] | components["schemas"]["PagerDutyIncidentWebhook"] | components["schemas"]["PagerDutyOtherWebhook"] | components["schemas"]["GrafanaWebhook"] | components["schemas"]["AlertmanagerWebhook"] | components["schemas"]["DatadogWebhook"] | components["schemas"]["GenericWebhook"];
        /** @description An alert, in our own form. */
        AlertTrigger: {
            /** @constant */
            type: "alert";
            title: string;
            summary?: string;
            /**
             * @default warning
             * @enum {string}
             */
            severity: "info" | "warning" | "critical";
            service?: string;
            /** @description The same for every report of the same thing; made from the rest by default. */
            fingerprint?: string;
            /**
             * @default firing
             * @enum {string}
             */
            status: "firing" | "resolved";
            /** @default {} */
            labels: {
                [key: string]: string;
            };
            /** @default [] */
            links: {
                /** @default Link */
                label: string;
                /** Format: uri */
                url: string;
            }[];
        };
        /** @description A new version of a service has gone out: agents look at once. */
        DeployTrigger: {
            /** @constant */
            type: "deploy";
            service: string;
            version?: string;
            environment?: string;
            author?: string;
            /** Format: uri */
            url?: string;
            summary?: string;
            /** @description The same for every report of the same thing; made from the rest by default. */
            fingerprint?: string;
        };
        /** @description Run checks now, instead of when they are next due. */
        CheckNowTrigger: {
            /** @constant */
            type: "check_now";
            /** @description Ids of checks, as in the plan; absent: all of them. */
            checks?: string[];
        };
        /** @description A webhook of PagerDuty (version 3) on the state of an incident. */
        PagerDutyIncidentWebhook: {
            event: {
                id?: string | number | boolean | null;
                /** @enum {string} */
                event_type: "incident.triggered" | "incident.reopened" | "incident.resolved";
                resource_type?: string | number | boolean | null;
                occurred_at?: string | number | boolean | null;
                data: {
                    id: string;
                    title: string;
                    number?: string | number | boolean | null;
                    status?: string | number | boolean | null;
                    urgency?: string | number | boolean | null;
                    html_url?: string | number | boolean | null;
                    created_at?: string | number | boolean | null;
                    incident_key?: string | number | boolean | null;
                    service?: {
                        summary?: string | number | boolean | null;
                        html_url?: string | number | boolean | null;
                    } | null;
                    priority?: {
                        summary?: string | number | boolean | null;
                        html_url?: string | number | boolean | null;
                    } | null;
                    escalation_policy?: {
                        summary?: string | number | boolean | null;
                        html_url?: string | number | boolean | null;
                    } | null;
                };
            };
        };
        /** @description Another webhook of PagerDuty (version 3): it is ignored. */
        PagerDutyOtherWebhook: {
            event: {
                id?: string | number | boolean | null;
                event_type: string;
            };
        };
        /** @description A notification of Grafana Alerting (contact point of the kind webhook). */
        GrafanaWebhook: {
            /** @enum {string} */
            status: "firing" | "resolved";
            receiver: string;
            groupKey?: string | number | boolean | null;
            groupLabels?: {
                [key: string]: string | number | boolean | null;
            } | null;
            commonLabels?: {
                [key: string]: string | number | boolean | null;
            } | null;
            commonAnnotations?: {
                [key: string]: string | number | boolean | null;
            } | null;
            externalURL?: string | number | boolean | null;
            truncatedAlerts?: number | string | null;
            version?: string | number | boolean | null;
            orgId?: string | number | boolean | null;
            title?: string | number | boolean | null;
            state?: string | number | boolean | null;
            message?: string | number | boolean | null;
            alerts: {
                /** @enum {string} */
                status: "firing" | "resolved";
                labels: {
                    [key: string]: string | number | boolean | null;
                };
                annotations?: {
                    [key: string]: string | number | boolean | null;
                } | null;
                startsAt?: string | number | boolean | null;
                endsAt?: string | number | boolean | null;
                generatorURL?: string | number | boolean | null;
                fingerprint?: string | number | boolean | null;
                valueString?: string | number | boolean | null;
                values?: {
                    [key: string]: string | number | boolean | null;
                } | null;
                dashboardURL?: string | number | boolean | null;
                panelURL?: string | number | boolean | null;
                silenceURL?: string | number | boolean | null;
                imageURL?: string | number | boolean | null;
            }[];
        };
        /** @description A notification of Prometheus Alertmanager (webhook, version 4). */
        AlertmanagerWebhook: {
            /** @enum {string} */
            status: "firing" | "resolved";
            receiver: string;
            groupKey?: string | number | boolean | null;
            groupLabels?: {
                [key: string]: string | number | boolean | null;
            } | null;
            commonLabels?: {
                [key: string]: string | number | boolean | null;
            } | null;
            commonAnnotations?: {
                [key: string]: string | number | boolean | null;
            } | null;
            externalURL?: string | number | boolean | null;
            truncatedAlerts?: number | string | null;
            /** @constant */
            version: "4";
            alerts: {
                /** @enum {string} */
                status: "firing" | "resolved";
                labels: {
                    [key: string]: string | number | boolean | null;
                };
                annotations?: {
                    [key: string]: string | number | boolean | null;
                } | null;
                startsAt?: string | number | boolean | null;
                endsAt?: string | number | boolean | null;
                generatorURL?: string | number | boolean | null;
                fingerprint?: string | number | boolean | null;
            }[];
        };
        /** @description A webhook of Datadog, with the payload of the description or its default one. */
        DatadogWebhook: {
            id?: string | number | boolean | null;
            event_type?: string | number | boolean | null;
            alert_id?: string | number | boolean | null;
            alert_transition?: string | number | boolean | null;
            alert_type?: string | number | boolean | null;
            alert_priority?: string | number | boolean | null;
            alert_scope?: string | number | boolean | null;
            alert_status?: string | number | boolean | null;
            alert_cycle_key?: string | number | boolean | null;
            aggreg_key?: string | number | boolean | null;
            body?: string | number | boolean | null;
            tags?: string | string[] | null;
            date?: string | number | boolean | null;
            link?: string | number | boolean | null;
            snapshot?: string | number | boolean | null;
            /** @description May also come as alert_title or event_title. */
            title: string;
            event_title?: string | number | boolean | null;
            alert_title?: string | number | boolean | null;
        };
        /** @description The webhook of another tool: any object with a text in one of title, message, summary, name, description, text. */
        GenericWebhook: {
            [key: string]: unknown;
        };
        IntegrationQueryRequest: {
            /** @description One of the caller’s teams; anything else is a 403. */
            team_id: string;
            /** @description Which satellite; without it the one that has what is asked for, if it is only one. */
            satellite_id?: string | null;
            /** @description Id of a connector, as in the list of satellites. */
            connector: string;
            /** @description One of the connector’s operations. */
            operation: string;
            /**
             * @description Of the operation.
             * @default {}
             */
            parameters: {
                [key: string]: unknown;
            };
            /**
             * @description How long the system behind the satellite may take, in seconds.
             * @default 30
             */
            timeout_seconds: number;
        };
        MCPToolCallRequest: {
            /** @description One of the caller’s teams; anything else is a 403. */
            team_id: string;
            /** @description Which satellite; without it the one that has what is asked for, if it is only one. */
            satellite_id?: string | null;
            /** @description Name of an MCP server of the satellite. */
            server: string;
            tool: string;
            /** @default {} */
            arguments: {
                [key: string]: unknown;
            };
            /**
             * @description How long the system behind the satellite may take, in seconds.
             * @default 30
             */
            timeout_seconds: number;
        };
        DependencyQueryRequest: {
            /** @description One of the caller’s teams; anything else is a 403. */
            team_id: string;
            /** @description Only what this satellite sees; without it all of the team. */
            satellite_id?: string | null;
            service: string;
            /**
             * @description What the service calls; what depends on it; what is affected if it fails.
             * @enum {string}
             */
            query_type: "get_downstream" | "get_upstream" | "get_impact";
            /** @description Most calls away; without it all the way. */
            depth?: number | null;
            /**
             * @description Most services in the answer.
             * @default 100
             */
            limit: number;
        };
        SatelliteTokenCreateRequest: {
            name: string;
            /** @description Without it: never. */
            expires_at?: string | null;
        };
        NeverReturned: Record<string, never>;
        ErrorResponse: {
            /** @description For people. */
            detail: string;
            /**
             * @description For programs: stable.
             * @example not_found
             */
            code: string;
        };
        InternalErrorResponse: {
            /** @description For people. */
            detail: string;
            /**
             * @description For programs: stable.
             * @example not_found
             */
            code: string;
            /**
             * Format: uuid
             * @description The same id is in the log.
             */
            error_id: string;
        };
        DeploymentResponse: {
            version: string;
            revision: string | null;
            node: string;
            environment: string;
            host: string;
            /** Format: date-time */
            started_at: string;
            uptime_seconds: number;
            /** @enum {string} */
            model_provider: "anthropic" | "offline";
            /** @description Kinds of telemetry sources that are configured. */
            sources: string[];
            healthy: boolean;
            reaches: components["schemas"]["DependencyCheck"][];
        };
        DependencyCheck: {
            name: string;
            ok: boolean;
            latency_ms: number;
            /** @description A word that says why the check failed. */
            reason?: string;
        };
        HealthResponse: {
            /** @constant */
            status: "ok";
        };
        ReadinessResponse: {
            /** @constant */
            status: "ready";
            checks: components["schemas"]["DependencyCheck"][];
        };
        TeamListResponse: {
            teams: components["schemas"]["TeamResponse"][];
        };
        TeamResponse: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
        };
        TeamCreatedResponse: {
            team: components["schemas"]["TeamResponse"];
            api_key: components["schemas"]["ApiKeyCreatedResponse"];
        };
        ApiKeyCreatedResponse: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description How the key begins. */
            prefix: string;
            scopes: string[];
            /** @description Whom the key acts for; null for a program. */
            user_id: string | null;
            created_by_key_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Null: it works until it is revoked. */
            expires_at: string | null;
            /** @description To the minute. */
            last_used_at: string | null;
            revoked_at: string | null;
            /** @description Shown this once. */
            api_key: string;
        };
        HTTPValidationError: {
            detail: components["schemas"]["ValidationError"][];
        };
        ValidationError: {
            type: string;
            /** @description Begins with body, query, path or header. */
            loc: (string | number)[];
            msg: string;
            input: unknown;
            ctx?: {
                [key: string]: unknown;
            };
        };
        CurrentUserResponse: {
            /** @description Null when the key belongs to a program. */
            user: components["schemas"]["UserResponse"] | null;
            role: ("admin" | "member") | null;
            team: components["schemas"]["TeamResponse"];
            /** Format: uuid */
            api_key_id: string;
            scopes: string[];
        };
        UserResponse: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string;
        };
        MemberListResponse: {
            members: components["schemas"]["MemberResponse"][];
        };
        MemberResponse: {
            /** Format: uuid */
            user_id: string;
            email: string;
            name: string;
            /** @enum {string} */
            role: "admin" | "member";
            /** Format: date-time */
            joined_at: string;
        };
        MemberRemovedResponse: {
            /** Format: uuid */
            user_id: string;
            /** @constant */
            removed: true;
        };
        ApiKeyListResponse: {
            api_keys: components["schemas"]["ApiKeyResponse"][];
        };
        ApiKeyResponse: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description How the key begins. */
            prefix: string;
            scopes: string[];
            /** @description Whom the key acts for; null for a program. */
            user_id: string | null;
            created_by_key_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Null: it works until it is revoked. */
            expires_at: string | null;
            /** @description To the minute. */
            last_used_at: string | null;
            revoked_at: string | null;
        };
        SignInMethodsResponse: {
            methods: {
                /** @constant */
                api_key: true;
                /** @constant */
                link: true;
                /** @description Begins at `GET /api/sign-in/oidc?to=/path`, which is visited. Null: none is configured. */
                oidc: {
                    /** @description What to call the identity provider. */
                    name: string;
                } | null;
            };
        };
        SessionResponse: {
            /** Format: uuid */
            id: string;
            /** @description For the header `X-CSRF-Token`. */
            csrf_token: string;
            /** @description Null when the session acts for nobody in particular. */
            user: components["schemas"]["UserResponse"] | null;
            role: ("admin" | "member") | null;
            team: components["schemas"]["TeamResponse"];
            /** @description In which the person may go on with `POST /api/session/team`. Only who signed in through the identity provider. */
            other_teams: components["schemas"]["TeamResponse"][];
            scopes: string[];
            /** @description The key it was signed in with. */
            api_key_id: string | null;
            /** Format: date-time */
            expires_at: string;
            /** @enum {string} */
            signed_in_with: "api_key" | "link" | "oidc";
        };
        SignedOutResponse: {
            /** @constant */
            signed_out: true;
        };
        SessionListResponse: {
            sessions: components["schemas"]["SessionListItem"][];
        };
        SessionListItem: {
            /** Format: uuid */
            id: string;
            /** @description What the browser called itself when it signed in. */
            browser: string;
            user: components["schemas"]["UserResponse"] | null;
            /** @description The key it was signed in with. */
            api_key_id: string | null;
            scopes: string[];
            /** @enum {string} */
            signed_in_with: "api_key" | "link" | "oidc";
            /** @description Whether this session asks. */
            current: boolean;
            /** Format: date-time */
            created_at: string;
            /** @description To the minute. */
            last_used_at: string | null;
            /** Format: date-time */
            expires_at: string;
        };
        SessionRevokedResponse: {
            /** Format: uuid */
            id: string;
            /** @constant */
            revoked: true;
        };
        SignInLinkResponse: {
            /** @description Signs in whoever opens it first. */
            url: string;
            /** @description The part of the URL that does; shown this once. */
            token: string;
            /** Format: date-time */
            expires_at: string;
        };
        InvestigateResponse: {
            /** Format: uuid */
            investigation_id: string;
            /** @constant */
            status: "processing";
        };
        InvestigationResponse: {
            /** Format: uuid */
            id: string;
            /**
             * @description processing while it runs; failed and cancelled carry the reason in investigation_text.
             * @enum {string}
             */
            status: "processing" | "completed" | "failed" | "cancelled";
            /** @description Short title of the findings; null while processing. */
            alert_summary: string | null;
            /** @description Full results in Markdown; null while processing. */
            investigation_text: string | null;
        };
        InvestigationListResponse: {
            items: components["schemas"]["InvestigationSummary"][];
            page: number;
            count: number;
            total: number;
        };
        InvestigationSummary: {
            /** Format: uuid */
            id: string;
            query: string;
            /** @enum {string} */
            status: "processing" | "completed" | "failed" | "cancelled";
            alert_summary: string | null;
            limit_reached: string | null;
            rerun_of: string | null;
            /** Format: date-time */
            created_at: string;
            finished_at: string | null;
            url: string;
            started_at: string | null;
            /** @description Of the whole run; null while it is processing. */
            duration_seconds: number | null;
            /** @description US dollars, so far. */
            cost: number;
            /** @description The model that answered last. */
            model: string | null;
            /** @description Turns of the model so far. */
            steps: number;
            tool_calls: number;
            /** @description The tool call that is under way, in words; null: none, or it has ended. */
            doing: string | null;
            /** @description Of the report; null while there is none. */
            confidence: number | null;
            /** @description The service at fault; null while that is not known. */
            root_cause_service: string | null;
        };
        InvestigationDetailResponse: {
            /** Format: uuid */
            id: string;
            query: string;
            /** @enum {string} */
            status: "processing" | "completed" | "failed" | "cancelled";
            alert_summary: string | null;
            limit_reached: string | null;
            rerun_of: string | null;
            /** Format: date-time */
            created_at: string;
            finished_at: string | null;
            url: string;
            investigation_text: string | null;
            explanation: string | null;
            started_at: string | null;
            cancel_requested_at: string | null;
            /** @description From the running workflow; null when it has ended or no worker answers. */
            progress: {
                phase: string;
                step: number;
                tool_calls: number;
                cost_usd: number;
                limit: string | null;
            } | null;
            plan: {
                text: string;
                /** @enum {string} */
                status: "pending" | "in_progress" | "done" | "skipped";
            }[];
            steps: components["schemas"]["InvestigationStep"][];
            messages: {
                /** Format: uuid */
                id: string;
                text: string;
                /** Format: date-time */
                created_at: string;
                delivered_step: number | null;
            }[];
            report: components["schemas"]["InvestigationReport"] | null;
            hypotheses: {
                /** @description What might be the cause. Cite evidence as [n], n being the number of a citation. */
                statement: string;
                /** @enum {string} */
                verdict: "supported" | "ruled_out" | "open";
                /** @description Why the evidence supports it, rules it out or leaves it open. Cite evidence as [n], n being the number of a citation. */
                reasoning: string;
            }[];
            citations: components["schemas"]["InvestigationCitation"][];
            usage: components["schemas"]["RunUsage"];
            temporal: {
                workflow_id: string;
                url: string | null;
            };
        };
        InvestigationStep: {
            step: number;
            note: string | null;
            text: string;
            reasoning: string;
            stop_reason: string;
            model: string;
            cost_usd: number;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            finished_at: string;
            tool_calls: components["schemas"]["InvestigationToolCall"][];
        };
        InvestigationToolCall: {
            /** Format: uuid */
            id: string;
            /** @description The number that the report cites. */
            evidence: number;
            name: string;
            summary: string;
            input: unknown;
            /** @enum {string} */
            status: "pending" | "completed" | "cancelled";
            is_error: boolean;
            digest: string | null;
            bytes: number | null;
            sha256: string | null;
            started_at: string | null;
            finished_at: string | null;
            duration_ms: number | null;
            /** @description Its result can be drawn: see `/api/tool-results/{tool_id}/series`. */
            has_series: boolean;
            result_url: string;
        };
        InvestigationReport: {
            /** @description One line that names the cause and the effect. */
            title: string;
            root_cause: {
                /** @description The service at fault, null if it is not known. */
                service: string | null;
                /** @description The root cause in a few sentences. Cite evidence as [n], n being the number of a citation. */
                statement: string;
            };
            /** @description Probability that the root cause is right. */
            confidence: number;
            /** @description What happened and why, in a short paragraph. Cite evidence as [n], n being the number of a citation. */
            summary: string;
            timeline: {
                /** @description ISO 8601 time. */
                at: string;
                /** @description What happened. Cite evidence as [n], n being the number of a citation. */
                event: string;
            }[];
            /** @description Who and what is affected, and how much. Cite evidence as [n], n being the number of a citation. */
            impact: string;
            /** @description What to do first, and how to verify it. */
            recommended_change: {
                summary: string;
                details?: string;
            };
            unverified_claims: {
                where: string;
                claim: string;
                why: string;
            }[];
        };
        InvestigationCitation: {
            n: number;
            evidence: number;
            tool_call_id: string | null;
            tool: string | null;
            sha256: string | null;
            excerpts: {
                text: string;
                verified: boolean;
                offset: number | null;
            }[];
        };
        RunUsage: {
            input_tokens: number;
            output_tokens: number;
            cache_creation_input_tokens: number;
            cache_read_input_tokens: number;
            /** @description US dollars. */
            cost: number;
            model: string | null;
            provider: string | null;
            api_calls_count: number;
        };
        InvestigationGraphResponse: {
            /** @description As the report says; while there is none, the first of the ranking. null: not known. */
            suspect: string | null;
            /** @description The suspect is not that of a report. */
            is_tentative: boolean;
            /** @description The service whose symptom is explained. */
            alerting: string | null;
            /** @description The suspect first, then along the fault path, then by score. */
            services: components["schemas"]["InvestigationGraphService"][];
            /** @description Among these services. */
            calls: components["schemas"]["InvestigationGraphCall"][];
            /** @description From the alerting service along its calls to the suspect, both included; empty: no way is known. */
            fault_path: string[];
            /** @description More services or calls are known than these, or results were cut. */
            truncated: boolean;
            /** @description What is not known about it, in sentences. */
            notes: string[];
        };
        InvestigationGraphService: {
            name: string;
            /**
             * @description affected: the fault passed through it, it alerted, or its metrics moved. ruled_out: the report says that it is not the cause, and the fault did not pass through it. related: only its calls are known.
             * @enum {string}
             */
            role: "suspect" | "alerting" | "affected" | "ruled_out" | "related";
            /** @description Of the ranking of root causes: higher is more suspicious. */
            score: number | null;
            /** @description Its place in that ranking, from 1. */
            rank: number | null;
            /** @description Why it has its role or score, as the ranking, the report or an alert says. */
            reason: string | null;
            /** @description Tool calls that looked at it, or whose results name it; evidence is the number that the report cites. */
            evidence: {
                /** Format: uuid */
                tool_call_id: string;
                evidence: number;
            }[];
        };
        InvestigationGraphCall: {
            caller: string;
            callee: string;
            calls_per_second: number | null;
            /** @description Failed calls by all calls, 0 to 1. */
            error_ratio: number | null;
            p95_seconds: number | null;
            /** @description No call was seen for a while. */
            stale: boolean;
            on_fault_path: boolean;
        };
        InvestigationMessageResponse: {
            /** Format: uuid */
            message_id: string;
            /** Format: date-time */
            created_at: string;
        };
        ChatResponse: {
            /**
             * Format: uuid
             * @description Continues the conversation.
             */
            chat_id: string;
            /** @description The answer: all of its text parts, as they were streamed. */
            response: string;
            usage: components["schemas"]["ChatUsage"];
        };
        ChatUsage: {
            input_tokens: number;
            output_tokens: number;
            cache_creation_input_tokens: number;
            cache_read_input_tokens: number;
            /** @description US dollars. */
            cost: number;
            /** @description The model that answered. */
            model: string | null;
            /** @description Calls of the model. */
            api_calls_count: number;
        };
        ChatStateResponse: {
            /** Format: uuid */
            chat_id: string;
            /** @enum {string} */
            status: "processing" | "completed" | "failed" | "cancelled";
        };
        ChatOptionsResponse: {
            methods: ("GET" | "OPTIONS")[];
        };
        ChatListResponse: {
            chats: components["schemas"]["ChatSummary"][];
            page: number;
            count: number;
            /** @description Counted up to 1,000. */
            total: number;
            total_is_exact: boolean;
            has_more: boolean;
        };
        ChatSummary: {
            /** Format: uuid */
            id: string;
            title: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When its last turn began.
             */
            updated_at: string;
            created_by_user_id: string | null;
            investigation_id: string | null;
            /** @description It belongs to a monitoring agent, which has the same id. */
            monitoring: boolean;
            /** @description A turn is under way. */
            running: boolean;
        };
        ChatSearchResponse: {
            chats: components["schemas"]["ChatSearchHit"][];
            page: number;
            count: number;
            has_more: boolean;
        };
        ChatSearchHit: {
            /** Format: uuid */
            id: string;
            title: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When its last turn began.
             */
            updated_at: string;
            created_by_user_id: string | null;
            investigation_id: string | null;
            /** @description It belongs to a monitoring agent, which has the same id. */
            monitoring: boolean;
            /** @description A turn is under way. */
            running: boolean;
            snippet: string;
        };
        ChatDetailResponse: {
            /** Format: uuid */
            id: string;
            title: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When its last turn began.
             */
            updated_at: string;
            created_by_user_id: string | null;
            investigation_id: string | null;
            /** @description It belongs to a monitoring agent, which has the same id. */
            monitoring: boolean;
            /** @description A turn is under way. */
            running: boolean;
            side_effects_allowed: boolean;
            messages: components["schemas"]["ChatUiMessage"][];
            has_earlier: boolean;
            /** @description The turn that is under way. */
            run: {
                /** Format: uuid */
                turn_id: string;
                stream_url: string;
                phase: string | null;
                step: number | null;
                tool_calls: number | null;
                cost: number | null;
            } | null;
        };
        ChatUiMessage: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            role: "user" | "assistant";
            parts: ({
                /** @enum {string} */
                type: "text" | "reasoning";
                text: string;
                /** @constant */
                state: "done";
            } | {
                type: string;
                /** Format: uuid */
                toolCallId: string;
                /** @enum {string} */
                state: "input-available" | "output-available" | "output-error";
                title: string;
                input: unknown;
                output?: unknown;
                errorText?: string;
            } | {
                type: string;
                id: string;
                data: unknown;
            })[];
            /** Format: date-time */
            created_at: string;
            /** @description Of an answer; null for what was said by or brought along by the caller. */
            turn: components["schemas"]["ChatTurnDetail"] | null;
        };
        ChatTurnDetail: {
            /** Format: uuid */
            id: string;
            number: number;
            /** @enum {string} */
            purpose: "answer" | "chart" | "edit" | "monitor";
            /** @enum {string} */
            status: "processing" | "completed" | "failed" | "cancelled";
            limit_reached: string | null;
            /** @description Why it failed or was cancelled. */
            explanation: string | null;
            /** @description All text parts together, as they were streamed. */
            text: string;
            citations: components["schemas"]["ChatCitation"][];
            tool_calls: components["schemas"]["ChatToolCall"][];
            changes: components["schemas"]["ChatChanges"] | null;
            usage: components["schemas"]["ChatUsage"];
            /** Format: date-time */
            started_at: string;
            finished_at: string | null;
            workflow_id: string;
        };
        ChatCitation: {
            /** @description The number in brackets in the text. */
            n: number;
            /** @description null: the chat has no such evidence. */
            tool_call_id: string | null;
            tool: string | null;
            sha256: string | null;
            /** @description Verbatim pieces of the tool result that support the claim. */
            excerpts: string[];
            result_url: string | null;
        };
        ChatToolCall: {
            /** Format: uuid */
            id: string;
            evidence: number;
            name: string;
            summary: string;
            /** @enum {string} */
            status: "pending" | "completed" | "cancelled";
            is_error: boolean;
            digest: string | null;
            bytes: number | null;
            sha256: string | null;
            /** @description Its result can be drawn: see `/api/tool-results/{tool_id}/series`. */
            has_series: boolean;
            result_url: string;
        };
        ChatChanges: {
            /**
             * @description conflict: somebody changed the same paths meanwhile, and nothing was written.
             * @enum {string}
             */
            status: "committed" | "proposed" | "conflict" | "unchanged" | "discarded";
            commit: string | null;
            paths: {
                path: string;
                /** @enum {string} */
                change: "added" | "modified" | "deleted";
                additions: number;
                deletions: number;
            }[];
            diff: string;
            /** @description The diff was cut. */
            truncated: boolean;
            conflicts: string[];
        };
        ChatDeletedResponse: {
            /** @constant */
            deleted: true;
        };
        ChatVizResponse: {
            /**
             * Format: uuid
             * @description Continues the conversation.
             */
            chat_id: string;
            /** @description The answer: all of its text parts, as they were streamed. */
            response: string;
            usage: components["schemas"]["ChatUsage"];
            /** @description null when none could be drawn; response says why. */
            chart: ({
                $schema: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description The tool result that holds the chart. */
            tool_id: string | null;
            svg_url: string | null;
        };
        /** @description A Vega-Lite specification with its data inlined. */
        ChartSpecification: {
            $schema: string;
        } & {
            [key: string]: unknown;
        };
        ChatEditorResponse: {
            /**
             * Format: uuid
             * @description Continues the conversation.
             */
            chat_id: string;
            /** @description The answer: all of its text parts, as they were streamed. */
            response: string;
            usage: components["schemas"]["ChatUsage"];
            /**
             * @description conflict: somebody changed the same paths meanwhile, and nothing was written.
             * @enum {string}
             */
            status: "committed" | "proposed" | "conflict" | "unchanged" | "discarded";
            commit: string | null;
            paths: {
                path: string;
                /** @enum {string} */
                change: "added" | "modified" | "deleted";
                additions: number;
                deletions: number;
            }[];
            diff: string;
            /** @description The diff was cut. */
            truncated: boolean;
            conflicts: string[];
        };
        CitationExtractionResponse: {
            /** @description Verbatim chunks of the tool result that support the citation; empty when none does. */
            excerpts: string[];
        };
        ToolResultResponse: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            conversation_id: string;
            evidence: number;
            tool: string;
            input: unknown;
            /** @enum {string} */
            status: "pending" | "completed" | "cancelled";
            is_error: boolean;
            /** @description Of the whole content in UTF-8. */
            sha256: string | null;
            bytes: number | null;
            /** @description Length of the whole content, in UTF-16 code units. */
            characters: number;
            offset: number;
            /** @description The content from offset on; null while the call is pending. */
            content: string | null;
            /** @description Where to read on; null at the end. */
            next_offset: number | null;
        };
        ToolResultSeriesResponse: {
            /** Format: uuid */
            tool_id: string;
            tool: string;
            /** @description What is measured: the metric or the expression. */
            title: string;
            /** @description Of all series; null: they have none, or not the same. */
            unit: string | null;
            /** @description What was asked about; null: the result does not say. */
            window: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            } | null;
            /** @description What it was compared with. */
            baseline: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            } | null;
            /** @description From the onset of the worst series to the end; null: nothing is anomalous. */
            anomaly_window: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            } | null;
            series: components["schemas"]["ChartSeries"][];
            /** @description The result has more series or points than these, or there were more than it holds. */
            truncated: boolean;
        };
        ChartSeries: {
            /** @description Tells it apart from the other series of the result. */
            label: string;
            service: string | null;
            statistic: string | null;
            unit: string | null;
            /** @description Times with values, in time order; null where the sample is missing. No time occurs twice. */
            points: [
                string,
                number | null
            ][];
            /** @description Against the baseline, where the tool compared it. */
            anomaly: {
                /** @description Spreads away from the median of the baseline; positive: in the harmful direction. */
                score: number;
                /**
                 * @description Which way is harmful.
                 * @enum {string}
                 */
                direction: "up" | "down" | "either";
                /** @description When it began to move; null: it did not. */
                onset: string | null;
                baseline_median: number | null;
                baseline_spread: number | null;
                incident_value: number | null;
            } | null;
        };
        SourceListResponse: {
            sources: components["schemas"]["TelemetrySource"][];
            /** @description There are more sources than these, or more alerts of one. */
            truncated: boolean;
        };
        TelemetrySource: {
            /** @description What questions, tools and plans call it. */
            id: string;
            title: string;
            /**
             * @description Whose it is: `installation` means that the operator configured it for every team.
             * @enum {string}
             */
            owner: "installation" | "team";
            /** @enum {string} */
            kind: "recorded-incident" | "prometheus" | "loki" | "dependency-graph";
            /** @description What it can be asked. */
            capabilities: ("services" | "metrics" | "promql" | "logs" | "dependencies" | "changes" | "alerts")[];
            /** @description The name of the satellite it is behind; null: one of this installation. */
            satellite: string | null;
            /** @description What it covers, where that is bounded. */
            window: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            } | null;
            /** @description A period that is known to be healthy. */
            baseline: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            } | null;
            alerts: {
                name: string;
                service: string;
                metric: string | null;
                /** Format: date-time */
                at: string;
                summary: string;
            }[];
            /** @description Why it could not say what it is; it may answer later. */
            error: string | null;
        };
        SourceServicesResponse: {
            source: string;
            services: {
                name: string;
                description: string | null;
                /** @description How many it has. */
                metrics: number;
            }[];
            /** @description That match. */
            total: number;
            truncated: boolean;
        };
        SourceMetricsResponse: {
            source: string;
            metrics: {
                metric: string;
                /** @description That have it, at most 20. */
                services: string[];
                service_count: number;
                statistics: string[];
                unit: string | null;
                /** @enum {string} */
                type: "counter" | "gauge" | "histogram" | "summary" | "unknown";
                help: string | null;
            }[];
            truncated: boolean;
        };
        MonitoringChatResponse: {
            /** Format: uuid */
            chat_id: string;
            title: string;
            /** @description What the agent says; null where the plan was given. */
            response: string | null;
            /**
             * @description starting: no check has said anything yet. degraded: it watches less than its plan says; `reasons` say why.
             * @enum {string}
             */
            status: "starting" | "active" | "paused" | "degraded";
            /** @description Why it is degraded. */
            reasons: string[];
            /** @description false: paused. */
            active: boolean;
            plan: components["schemas"]["MonitoringPlanOutput"];
            plan_version: number;
            checks: {
                id: string;
                /** @description What is checked and when. */
                description: string;
            }[];
            next_due_at: string | null;
            notification_channel: components["schemas"]["NotificationChannelSummary"];
            /** @description Of a webhook channel that was set without one: shown this once. */
            webhook_secret?: string;
            usage: components["schemas"]["ChatUsage"];
        };
        NotificationChannelSummary: {
            /** @enum {string} */
            type: "slack" | "slack_webhook" | "webhook" | "email";
            /** @description For people, without secrets. */
            label: string;
        } | null;
        MonitoringChatListResponse: {
            chats: components["schemas"]["MonitoringChatSummary"][];
            total: number;
        };
        MonitoringChatSummary: {
            /** Format: uuid */
            chat_id: string;
            title: string;
            /**
             * @description starting: no check has said anything yet. degraded: it watches less than its plan says; `reasons` say why.
             * @enum {string}
             */
            status: "starting" | "active" | "paused" | "degraded";
            /** @description Why it is degraded. */
            reasons: string[];
            /** @description false: paused. */
            active: boolean;
            plan_version: number;
            /** @description In its plan, without those that are disabled. */
            checks: number;
            /** @description What it watches, in the words of its plan. */
            summary: string;
            open_findings: number;
            last_result_at: string | null;
            next_due_at: string | null;
            notification_channel: components["schemas"]["NotificationChannelSummary"];
            /** @description Why the newest notification could not be delivered, if so. */
            notification_error: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The workflow that watches. */
            temporal: {
                workflow_id: string;
                /** @description In the Temporal UI, if there is one. */
                url: string | null;
            };
        };
        MonitoringAgentDeletedResponse: {
            /** Format: uuid */
            chat_id: string;
            /** @constant */
            deleted: true;
        };
        MonitoringAgentStateResponse: {
            /** Format: uuid */
            chat_id: string;
            /**
             * @description starting: no check has said anything yet. degraded: it watches less than its plan says; `reasons` say why.
             * @enum {string}
             */
            status: "starting" | "active" | "paused" | "degraded";
            active: boolean;
        };
        RunChecksResponse: {
            /** Format: uuid */
            chat_id: string;
            /** @description Those that are run. */
            checks: string[];
        };
        MonitoringPlanResponse: {
            /** Format: uuid */
            chat_id: string;
            version: number;
            active: boolean;
            plan: components["schemas"]["MonitoringPlanOutput"];
            /**
             * @description starting: no check has said anything yet. degraded: it watches less than its plan says; `reasons` say why.
             * @enum {string}
             */
            status: "starting" | "active" | "paused" | "degraded";
            reasons: string[];
            /** @description How each check stands, as far as the workflow answers. */
            checks: components["schemas"]["MonitoringCheckStanding"][];
            /**
             * @description `workflow`: this is what is carried out. `database`: no worker answered, or it has a change before it.
             * @enum {string}
             */
            answered_by: "workflow" | "database";
        };
        MonitoringCheckStanding: {
            id: string;
            title: string;
            /** @description What is checked and when, in one line. */
            description: string;
            running: boolean;
            /** @description null: not known, or never. */
            due_at: string | null;
            /** @description Runs in a row that could not say. */
            failures: number;
            /** @description The last run. */
            last: {
                /** @enum {string} */
                status: "ok" | "finding" | "failed" | "cancelled";
                summary: string;
                /** Format: uuid */
                session_id: string;
                /** Format: date-time */
                at: string;
            } | null;
        };
        MonitoringPlanVersionListResponse: {
            versions: components["schemas"]["MonitoringPlanVersion"][];
            page: number;
            count: number;
            total: number;
        };
        MonitoringPlanVersion: {
            version: number;
            reason: string;
            /** @description What is different from the version before. */
            changes: string[];
            /** Format: date-time */
            changed_at: string;
            /**
             * @description key: an API key that belongs to nobody. user: the key of a user. chat: the agent, in conversation.
             * @enum {string}
             */
            changed_by: "key" | "user" | "chat";
            api_key_id: string | null;
            /** @description Whose key it was, also where the agent did it for somebody. */
            user_id: string | null;
            /** @description Of the conversation, where it was changed there. */
            turn_id: string | null;
            plan: components["schemas"]["MonitoringPlanOutput"];
        };
        MonitoringAgentConfigResponse: {
            /** Format: uuid */
            chat_id: string;
            title: string;
            notification_channel: components["schemas"]["NotificationChannelSummary"];
            /** @description Sessions are deleted after so many hours. */
            eviction_hours: number;
            /** @description US dollars that models may cost within 24 hours, in checks and in judging findings; beyond them such checks are not carried out. Investigations that findings open have bounds of their own. */
            model_budget_usd_per_day: number;
            /** @description Of a webhook channel that was set without one: shown this once. */
            webhook_secret?: string;
        };
        NotificationChannelTestResponse: {
            delivered: boolean;
            /** @description What the receiver said. */
            receipt: string | null;
            /** @description Why it was not delivered. */
            error: string | null;
        };
        MonitoringSessionListResponse: {
            sessions: components["schemas"]["MonitoringSessionSummary"][];
            page: number;
            count: number;
            has_more: boolean;
        };
        MonitoringSessionSummary: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Of the agent.
             */
            chat_id: string;
            check_id: string;
            /** @enum {string} */
            check_type: "metric" | "log_pattern" | "service_health" | "dependency" | "mcp_tool" | "instruction";
            title: string;
            plan_version: number;
            /** @enum {string} */
            trigger: "schedule" | "now" | "deploy" | "alert";
            /**
             * @description failed: it could not say. cancelled: nobody wanted it any more.
             * @enum {string}
             */
            status: "running" | "ok" | "finding" | "failed" | "cancelled";
            /** @description The result in one line, or why there is none. */
            summary: string | null;
            /** Format: date-time */
            scheduled_at: string;
            /** Format: date-time */
            started_at: string;
            finished_at: string | null;
            duration_seconds: number | null;
            /** @description Scheduled times that passed before it while nobody ran it. */
            missed: number;
            observations: components["schemas"]["MonitoringObservation"][];
            /** @description US dollars. */
            cost: number;
            input_tokens: number;
            output_tokens: number;
            /** @description The model that carried it out; null for a check that needs none. */
            model: string | null;
            budget_spent: boolean;
        };
        MonitoringObservation: {
            /** @description Names what was looked at, the same in every run. */
            subject: string;
            is_finding: boolean;
            text: string;
            service: string | null;
            value: number | null;
            /** @description What the value was compared with. */
            expected: number | null;
        };
        MonitoringSessionResponse: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Of the agent.
             */
            chat_id: string;
            check_id: string;
            /** @enum {string} */
            check_type: "metric" | "log_pattern" | "service_health" | "dependency" | "mcp_tool" | "instruction";
            title: string;
            plan_version: number;
            /** @enum {string} */
            trigger: "schedule" | "now" | "deploy" | "alert";
            /**
             * @description failed: it could not say. cancelled: nobody wanted it any more.
             * @enum {string}
             */
            status: "running" | "ok" | "finding" | "failed" | "cancelled";
            /** @description The result in one line, or why there is none. */
            summary: string | null;
            /** Format: date-time */
            scheduled_at: string;
            /** Format: date-time */
            started_at: string;
            finished_at: string | null;
            duration_seconds: number | null;
            /** @description Scheduled times that passed before it while nobody ran it. */
            missed: number;
            observations: components["schemas"]["MonitoringObservation"][];
            /** @description US dollars. */
            cost: number;
            input_tokens: number;
            output_tokens: number;
            /** @description The model that carried it out; null for a check that needs none. */
            model: string | null;
            budget_spent: boolean;
            evidence: components["schemas"]["MonitoringEvidence"][];
            /** @description Of an instruction check: what it looked at. */
            tool_calls: components["schemas"]["MonitoringSessionToolCall"][];
            /** @description Of an instruction check. */
            workflow_id: string | null;
        };
        MonitoringEvidence: {
            source: string;
            question: string;
            /** @description What came back, bounded. */
            answer: unknown;
        };
        MonitoringSessionToolCall: {
            /** Format: uuid */
            id: string;
            evidence: number;
            name: string;
            summary: string;
            /** @enum {string} */
            status: "pending" | "completed" | "cancelled";
            is_error: boolean;
            digest: string | null;
            /** @description Its result can be drawn: see `/api/tool-results/{tool_id}/series`. */
            has_series: boolean;
            result_url: string;
        };
        FindingListResponse: {
            findings: components["schemas"]["FindingSummary"][];
            page: number;
            count: number;
            total: number;
        };
        FindingSummary: {
            /** Format: uuid */
            id: string;
            /** @description Of the agent; null: an alert that belongs to none. */
            chat_id: string | null;
            /** @enum {string} */
            origin: "check" | "health" | "alert";
            /**
             * @description pending: seen, not confirmed yet. resolved: over, and the same one if it comes back soon. closed: over.
             * @enum {string}
             */
            status: "pending" | "open" | "resolved" | "closed";
            /** @description It comes and goes so often that only this is told. */
            flapping: boolean;
            title: string;
            /** @description The newest observation in words. */
            summary: string;
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
            service: string | null;
            dedup_key: string;
            on_finding: ("notify" | "investigate")[];
            /** @description What a model thought of it before anybody was told. */
            judgement: {
                worth_telling: boolean;
                title: string;
                reason: string;
                model: string;
                /** @description US dollars. */
                cost: number;
            } | null;
            /** @description Observations that reported it. */
            occurrences: number;
            opened_at: string | null;
            /** Format: date-time */
            last_seen_at: string;
            resolved_at: string | null;
            closed_at: string | null;
            /** @description The agent that found it; null: an alert that belongs to none. */
            agent: {
                /** Format: uuid */
                id: string;
                title: string;
            } | null;
            /** @description The one it opened last. */
            investigation: {
                /** Format: uuid */
                id: string;
                url: string;
                status: ("processing" | "completed" | "failed" | "cancelled") | null;
            } | null;
        };
        FindingResponse: {
            /** Format: uuid */
            id: string;
            /** @description Of the agent; null: an alert that belongs to none. */
            chat_id: string | null;
            /** @enum {string} */
            origin: "check" | "health" | "alert";
            /**
             * @description pending: seen, not confirmed yet. resolved: over, and the same one if it comes back soon. closed: over.
             * @enum {string}
             */
            status: "pending" | "open" | "resolved" | "closed";
            /** @description It comes and goes so often that only this is told. */
            flapping: boolean;
            title: string;
            /** @description The newest observation in words. */
            summary: string;
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
            service: string | null;
            dedup_key: string;
            on_finding: ("notify" | "investigate")[];
            /** @description What a model thought of it before anybody was told. */
            judgement: {
                worth_telling: boolean;
                title: string;
                reason: string;
                model: string;
                /** @description US dollars. */
                cost: number;
            } | null;
            /** @description Observations that reported it. */
            occurrences: number;
            opened_at: string | null;
            /** Format: date-time */
            last_seen_at: string;
            resolved_at: string | null;
            closed_at: string | null;
            /** @description The agent that found it; null: an alert that belongs to none. */
            agent: {
                /** Format: uuid */
                id: string;
                title: string;
            } | null;
            /** @description The one it opened last. */
            investigation: {
                /** Format: uuid */
                id: string;
                url: string;
                status: ("processing" | "completed" | "failed" | "cancelled") | null;
            } | null;
            /** @description What reports it, the newest first. */
            sources: {
                source: string;
                failing: boolean;
                /** @description Runs in a row that said so. */
                streak: number;
                text: string;
                session_id: string | null;
                /** Format: date-time */
                at: string;
            }[];
            evidence: {
                source: string;
                question: string;
                answer: unknown;
            }[];
            /** @description Labels and links of an alert. */
            details: {
                [key: string]: unknown;
            };
            notifications: components["schemas"]["NotificationResponse"][];
            workflow_id: string;
        };
        NotificationResponse: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            event: "opened" | "report" | "resolved" | "reopened" | "flapping" | "test";
            /** @description Where it went, or is to go. */
            channel: {
                /** @enum {string} */
                type: "slack" | "slack_webhook" | "webhook" | "email";
                label: string | null;
            } | null;
            /**
             * @description pending: it is being delivered, again where last_error says why. skipped: there was no channel.
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed" | "skipped";
            title: string;
            text: string;
            attempts: number;
            last_error: string | null;
            /** @description What the receiver said. */
            receipt: string | null;
            /** Format: date-time */
            created_at: string;
            delivered_at: string | null;
        };
        MonitorResponse: {
            /** @enum {string} */
            kind: "alerts" | "deploy" | "check_now" | "ignored";
            /**
             * @description The tool whose form it has; casebook: our own.
             * @enum {string}
             */
            source: "alertmanager" | "grafana" | "pagerduty" | "datadog" | "casebook" | "generic";
            /** @description Why it was ignored. */
            reason: string | null;
            alerts: components["schemas"]["MonitorAlert"][];
            /** @description Alerts that were left out, here or by the tool itself, because there were too many. */
            truncated_alerts: number;
            agents: components["schemas"]["MonitorAgent"][];
            /** @description It was known already: nothing was started. */
            repeated: boolean;
        };
        MonitorAlert: {
            fingerprint: string;
            title: string;
            /** @enum {string} */
            status: "firing" | "resolved";
            /**
             * @description What became of it: repeated was known already; ignored is not for people, or over and never seen.
             * @enum {string}
             */
            action: "opened" | "repeated" | "reopened" | "resolved" | "ignored";
            finding_id: string | null;
            /** @description Poll it at GET /api/v1/investigations/{investigation_id}: it can be polled at once. */
            investigation_id: string | null;
        };
        MonitorAgent: {
            /** Format: uuid */
            chat_id: string;
            title: string;
            /** @description It was told, and runs its checks now. */
            started: boolean;
            /** @description Why it was not told. */
            reason: string | null;
        };
        SatellitesListResponse: {
            satellites: components["schemas"]["SatelliteResponse"][];
            total: number;
        };
        SatelliteResponse: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            team_id: string;
            name: string;
            /**
             * @description online: connected and well; degraded: connected, with problems (see `problems`); offline: not connected.
             * @enum {string}
             */
            status: "online" | "degraded" | "offline";
            /** @description What is wrong while it is connected, in sentences. */
            problems: string[];
            version: string;
            labels: {
                [key: string]: string;
            };
            /** Format: date-time */
            last_heartbeat: string;
            /** @description Of the connection that is open; null when offline. */
            connected_at: string | null;
            disconnected_at: string | null;
            /** @description Its clock minus ours. */
            clock_offset_seconds: number;
            connectors: components["schemas"]["SatelliteConnectorResponse"][];
            mcp_servers: components["schemas"]["SatelliteMCPServerResponse"][];
            tool_count: number;
            /** @description Tools beyond what one satellite may announce. */
            omitted_tool_count: number;
            /** Format: date-time */
            registered_at: string;
        };
        SatelliteConnectorResponse: {
            id: string;
            kind: string;
            title: string;
            /** @enum {string} */
            status: "ok" | "failing" | "unknown";
            /** @description Why it fails. */
            message: string | null;
            checked_at: string | null;
            /** @description What POST /satellite/query/integration can ask. */
            operations: string[];
        };
        SatelliteMCPServerResponse: {
            name: string;
            /** @enum {string} */
            status: "ok" | "failing" | "unknown";
            message: string | null;
            checked_at: string | null;
        };
        SatelliteDeletedResponse: {
            /** Format: uuid */
            satellite_id: string;
            /** @constant */
            deleted: true;
        };
        ClusterStateList: components["schemas"]["ClusterStateResponse"][];
        ClusterStateResponse: {
            name: string;
            connector: string;
            version: string | null;
            nodes: {
                total: number;
                ready: number;
            };
            namespaces: number;
            workloads: {
                total: number;
                available: number;
            };
            pods: {
                total: number;
                running: number;
                pending: number;
                failed: number;
                restarts: number;
            };
            problems: {
                kind: string;
                namespace: string | null;
                name: string;
                reason: string;
                message: string | null;
            }[];
            /** Format: date-time */
            observed_at: string;
        };
        DependencyGraphResponse: {
            /** Format: uuid */
            satellite_id: string;
            satellite: string;
            /** @description The services of these edges, with how many of them lead to and from each. */
            nodes: {
                name: string;
                callers: number;
                callees: number;
            }[];
            /** @description Those with most calls first. */
            edges: components["schemas"]["DependencyEdge"][];
            /** @description There are more edges than these. */
            truncated: boolean;
            total_nodes: number;
            total_edges: number;
            /** @description When the satellite confirmed its graph last; null: it sent none. */
            as_of: string | null;
        };
        DependencyEdge: {
            caller: string;
            callee: string;
            calls_per_second: number | null;
            /** @description Failed calls by all calls, 0 to 1. */
            error_ratio: number | null;
            p50_seconds: number | null;
            p95_seconds: number | null;
            /** @description Where it was seen: metrics of a mesh or of traces, spans. */
            sources: string[];
            /** @description No call was seen for a while; it goes when that lasts. */
            stale: boolean;
            /** Format: date-time */
            last_seen: string;
        };
        MCPToolsListResponse: {
            tools: components["schemas"]["MCPToolResponse"][];
            total: number;
            /** @description Tools beyond what a satellite may announce. */
            omitted: number;
        };
        MCPToolResponse: {
            name: string;
            server: string;
            /** Format: uuid */
            satellite_id: string;
            satellite: string;
            /** @description Whether the satellite is connected now. */
            available: boolean;
            title: string | null;
            description: string;
            /** @description JSON Schema of the arguments. */
            input_schema: {
                [key: string]: unknown;
            };
            output_schema: {
                [key: string]: unknown;
            } | null;
            /** @description It changes nothing; other tools need the scope satellites:act. */
            read_only: boolean;
        };
        IntegrationQueryResponse: {
            /** Format: uuid */
            satellite_id: string;
            satellite: string;
            connector: string;
            operation: string;
            /** @description As the connector gives it. */
            result: unknown;
            /** @description What the satellite took. */
            took_ms: number;
        };
        MCPToolCallResponse: {
            /** Format: uuid */
            satellite_id: string;
            satellite: string;
            server: string;
            tool: string;
            /** @description The CallToolResult of the server: content, structuredContent, isError. */
            result: unknown;
            took_ms: number;
        };
        DependencyQueryResponse: {
            service: string;
            /** @enum {string} */
            query_type: "get_downstream" | "get_upstream" | "get_impact";
            depth: number | null;
            /** @description Nearest first, then those with most affected calls. */
            services: {
                name: string;
                /** @description Calls between it and the service asked about. */
                depth: number;
                /** @description A shortest way from the service asked about to this one. */
                path: string[];
                /** @description Every shortest way has an edge that was not seen for a while. */
                via_stale: boolean;
                satellites: string[];
                /** @description Of get_impact. */
                impact: {
                    /** @description Of its work, 0 to 1: an upper estimate from call rates. */
                    affected_share: number;
                    affected_calls_per_second: number | null;
                } | null;
            }[];
            /** @description Among these services and the one asked about. */
            edges: components["schemas"]["DependencyEdge"][];
            /** @description Services that call each other in a circle. */
            cycles: string[][];
            totals: {
                services: number;
                edges: number;
                cycles: number;
                /** @description Of get_impact: affected calls of the services that nobody calls, where requests come in. */
                affected_entry_calls_per_second: number | null;
            };
            truncated: boolean;
            /** @description When the graphs that took part were confirmed last. */
            as_of: {
                /** Format: date-time */
                oldest: string;
                /** Format: date-time */
                newest: string;
            } | null;
            satellites: {
                /** Format: uuid */
                id: string;
                name: string;
                online: boolean;
                as_of: string | null;
                edges: number;
            }[];
            /** @description What is not known, and what the answer may therefore lack. */
            unknown: {
                /** @enum {string} */
                kind: "no_graph" | "satellite_offline" | "graph_old" | "graph_truncated" | "stale_edges" | "no_call_rates" | "estimate_low";
                message: string;
                satellite: string | null;
                edges: number | null;
                examples: {
                    caller: string;
                    callee: string;
                }[];
            }[];
        };
        SatelliteTokenCreatedResponse: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description How the token begins. */
            prefix: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            /** @description To the minute. */
            last_used_at: string | null;
            revoked_at: string | null;
            /** @description Shown this once. */
            token: string;
        };
        SatelliteTokenListResponse: {
            tokens: components["schemas"]["SatelliteTokenResponse"][];
        };
        SatelliteTokenResponse: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description How the token begins. */
            prefix: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            /** @description To the minute. */
            last_used_at: string | null;
            revoked_at: string | null;
        };
        MonitoringPlanOutput: {
            /**
             * @description What the agent watches, in a sentence or two.
             * @default
             */
            summary: string;
            /** @default [] */
            checks: components["schemas"]["MonitoringCheckOutput"][];
        };
        MonitoringCheckOutput: {
            id: string;
            title: string;
            /**
             * @description false: it is not run.
             * @default true
             */
            enabled: boolean;
            check: components["schemas"]["CheckSubjectOutput"];
            schedule: components["schemas"]["ScheduleOutput"];
            /**
             * @default warning
             * @enum {string}
             */
            severity: "info" | "warning" | "critical";
            /**
             * @description Findings with an equal key are one; `{check}` and `{subject}` are filled in.
             * @default {check}/{subject}
             */
            dedup_key: string;
            /**
             * @description What happens on a finding.
             * @default [
             *       "notify",
             *       "investigate"
             *     ]
             */
            on_finding: ("notify" | "investigate")[];
            /**
             * @description Whether a model looks at a finding before anybody is told.
             * @default false
             */
            judge: boolean;
            /**
             * @description So many runs in a row must find something before it is a finding.
             * @default 1
             */
            confirmations: number;
            /**
             * @description So many runs in a row must find nothing before it is resolved.
             * @default 2
             */
            recoveries: number;
            /**
             * @description One that comes back within this time after it was resolved is the same finding.
             * @default 900
             */
            cool_down_seconds: number;
        };
        CheckSubjectOutput: {
            /** @constant */
            type: "metric";
            /** @description Id of a source of telemetry, as list_sources gives it to agents: prometheus, for example. */
            source: string;
            /** @description Either a metric by name, or a PromQL expression where the source has it. */
            metric?: string;
            promql?: string;
            service?: string;
            statistic?: string;
            labels?: {
                [key: string]: string;
            };
            /**
             * @description How much time up to now is looked at.
             * @default 300
             */
            window_seconds: number;
            /**
             * @description What is made of the window's points.
             * @default mean
             * @enum {string}
             */
            aggregate: "last" | "mean" | "median" | "max" | "min";
            condition: {
                /** @constant */
                type: "threshold";
                /** @enum {string} */
                operator: ">" | ">=" | "<" | "<=" | "==" | "!=";
                value: number;
            } | {
                /** @constant */
                type: "baseline";
                /**
                 * @default above
                 * @enum {string}
                 */
                direction: "above" | "below" | "both";
                /**
                 * @description How far from the median is unusual, in robust standard deviations.
                 * @default 4
                 */
                deviations: number;
                /**
                 * @description How much history it is learned from, before the window.
                 * @default 3600
                 */
                history_seconds: number;
                /**
                 * @description A change smaller than this, in the metric's own unit, is never a finding.
                 * @default 0
                 */
                least_change: number;
            };
            /**
             * @description What no data means: that the check could not be carried out, that all is well, or a finding.
             * @default fails
             * @enum {string}
             */
            no_data: "fails" | "ok" | "finding";
        } | {
            /** @constant */
            type: "log_pattern";
            /** @description Id of a source of telemetry, as list_sources gives it to agents: prometheus, for example. */
            source: string;
            service?: string;
            /** @description Text that a line must contain, in any case; `*` stands for anything. Absent: every line. */
            pattern?: string;
            /** @enum {string} */
            level?: "error" | "warn" | "info" | "debug";
            /**
             * @description How much time up to now is looked at.
             * @default 300
             */
            window_seconds: number;
            condition: {
                /** @constant */
                type: "count";
                /** @default 1 */
                at_least: number;
            } | {
                /** @constant */
                type: "new_pattern";
                /** @default 3600 */
                history_seconds: number;
                /** @default 3 */
                at_least: number;
            };
        } | {
            /** @constant */
            type: "service_health";
            /** @description Id of a source of telemetry, as list_sources gives it to agents: prometheus, for example. */
            source: string;
            /** @description Absent: every service of the source. */
            services?: string[];
            /**
             * @description How much time up to now is looked at.
             * @default 300
             */
            window_seconds: number;
            /**
             * @description How much history is usual, before the window.
             * @default 3600
             */
            history_seconds: number;
            /** @default 6 */
            deviations: number;
        } | {
            /** @constant */
            type: "dependency";
            /** @description Id of a source of telemetry, as list_sources gives it to agents: prometheus, for example. */
            source: string;
            caller?: string;
            callee?: string;
            /**
             * @description How much time up to now is looked at.
             * @default 300
             */
            window_seconds: number;
            condition: {
                /** @constant */
                type: "error_ratio";
                above: number;
            } | {
                /** @constant */
                type: "p95_seconds";
                above: number;
            } | {
                /** @constant */
                type: "missing";
            };
        } | {
            /** @constant */
            type: "mcp_tool";
            /** @description The name of a reading tool of the team, as an investigation has it. */
            tool: string;
            /** @default {} */
            arguments: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            condition: {
                /** @constant */
                type: "contains";
                text: string;
            } | {
                /** @constant */
                type: "lacks";
                text: string;
            } | {
                /** @constant */
                type: "value";
                pointer: string;
                /** @enum {string} */
                operator: ">" | ">=" | "<" | "<=" | "==" | "!=";
                value: number | string | boolean;
            };
        } | {
            /** @constant */
            type: "instruction";
            /** @description What the agent is to do with its tools, and what is a finding. */
            instruction: string;
            /** @default 12 */
            max_steps: number;
            /** @default 5 */
            max_minutes: number;
        };
        ScheduleOutput: {
            /** @description Either this or cron. */
            every_seconds?: number;
            /** @description Five fields: minute, hour, day of month, month, weekday. */
            cron?: string;
            /**
             * @description Of the cron expression and of quiet hours.
             * @default UTC
             */
            time_zone: string;
            /**
             * @description When it is not run.
             * @default []
             */
            quiet_hours: components["schemas"]["QuietHours"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    raiseError: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NeverReturned"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
        };
    };
    testDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadinessResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
        };
    };
    listTeams: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createTeam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamCreatedResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getTeam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    updateTeam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentUserResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    addMember: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberAddRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberRemovedResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCreatedResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethodsResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOutResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    changeSessionTeam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionTeamRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRevokedResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createSignInLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInLinkCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInLinkResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    investigate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key returns the investigation of the first one. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvestigateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvestigateResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getInvestigation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                investigation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvestigationResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listInvestigations: {
        parameters: {
            query?: {
                /** @description 1-based. */
                page?: number;
                /** @description Items per page. */
                count?: number;
                /** @description Only those with this status. */
                status?: "processing" | "completed" | "failed" | "cancelled";
                /** @description Words of the question or the finding, by their beginnings, in any case; "words together"; -without. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvestigationListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getInvestigationDetail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                investigation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvestigationDetailResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getInvestigationGraph: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                investigation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvestigationGraphResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    streamInvestigationEvents: {
        parameters: {
            query?: {
                last_event_id?: string;
            };
            header?: never;
            path: {
                investigation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    cancelInvestigation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                investigation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvestigationResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    addInvestigationMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                investigation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvestigationMessageRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvestigationMessageResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    rerunInvestigation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                investigation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvestigateResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    chat: {
        parameters: {
            query?: {
                /** @description Answer with server-sent events in the UI message stream form of the AI SDK. */
                stream?: boolean;
                /** @description tools: tool calls, their results, the plan and citations travel in the stream as well. */
                include?: "tools";
            };
            header?: {
                /** @description A repeated request with the same key gets the turn of the first one. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatResponse"];
                    "text/event-stream": unknown;
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description A system this service asked gave no usable answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    followChat: {
        parameters: {
            query?: {
                /** @description tools: tool calls, their results, the plan and citations travel in the stream as well. */
                include?: "tools";
                last_event_id?: string;
            };
            header?: never;
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    cancelChatTurn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatStateResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listChats: {
        parameters: {
            query?: {
                /** @description 1-based. */
                page?: number;
                /** @description Items per page. */
                count?: number;
                /** @description Deprecated alias for count; count wins. */
                limit?: number;
                /** @description Only chats that the current user began. */
                my_chats?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    chatOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatOptionsResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
        };
    };
    searchChats: {
        parameters: {
            query: {
                /** @description Words, found by their beginning; "quoted" together; -excluded. */
                q: string;
                /** @description 1-based. */
                page?: number;
                /** @description Items per page. */
                count?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSearchResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getChat: {
        parameters: {
            query?: {
                /** @description Only turns with a smaller number. */
                before?: number;
                /** @description Most turns to return, the newest ones. */
                turns?: number;
            };
            header?: never;
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatDetailResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    deleteChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatDeletedResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    updateChatTitle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatTitleUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSummary"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    chatViz: {
        parameters: {
            query?: {
                /** @description Answer with server-sent events in the UI message stream form of the AI SDK. */
                stream?: boolean;
                /** @description tools: tool calls, their results, the plan and citations travel in the stream as well. */
                include?: "tools";
                format?: "json" | "svg";
            };
            header?: {
                /** @description A repeated request with the same key gets the turn of the first one. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatVizRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatVizResponse"];
                    "text/event-stream": unknown;
                    "image/svg+xml": string;
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description A system this service asked gave no usable answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getChart: {
        parameters: {
            query?: {
                format?: "json" | "svg";
                /** @description What the picture lies on. */
                ground?: "light" | "dark";
            };
            header?: never;
            path: {
                tool_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChartSpecification"];
                    "image/svg+xml": string;
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    chatEditor: {
        parameters: {
            query?: {
                /** @description Answer with server-sent events in the UI message stream form of the AI SDK. */
                stream?: boolean;
                /** @description tools: tool calls, their results, the plan and citations travel in the stream as well. */
                include?: "tools";
            };
            header?: {
                /** @description A repeated request with the same key gets the turn of the first one. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatEditorRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatEditorResponse"];
                    "text/event-stream": unknown;
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description A system this service asked gave no usable answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    extractCitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CitationExtractionRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CitationExtractionResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16777216 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getToolResult: {
        parameters: {
            query?: {
                /** @description In UTF-16 code units, as the offsets of excerpts. */
                offset?: number;
                /** @description Most characters to return. */
                limit?: number;
            };
            header?: never;
            path: {
                tool_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResultResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getToolResultSeries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tool_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResultSeriesResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listSources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listSourceServices: {
        parameters: {
            query?: {
                /** @description Only services whose name or description has it, in any case. */
                text?: string;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description As the list of sources gives it, percent-encoded. */
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceServicesResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    searchSourceMetrics: {
        parameters: {
            query?: {
                /** @description Words that must all occur in name, help, unit or service. */
                text?: string;
                /** @description Only metrics of this service. */
                service?: string;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description As the list of sources gives it, percent-encoded. */
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceMetricsResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    monitoringChat: {
        parameters: {
            query?: {
                /** @description Answer with server-sent events in the UI message stream form of the AI SDK. */
                stream?: boolean;
                /** @description tools: tool calls, their results, the plan and citations travel in the stream as well. */
                include?: "tools";
            };
            header?: {
                /** @description A repeated request with the same key gets the turn of the first one. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MonitoringChatRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringChatResponse"];
                    "text/event-stream": unknown;
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description A system this service asked gave no usable answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listMonitoringChats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringChatListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getMonitoringChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringChatSummary"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    deleteMonitoringChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringAgentDeletedResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    pauseMonitoringChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringAgentStateResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    resumeMonitoringChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringAgentStateResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    runMonitoringChecks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunChecksRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunChecksResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getMonitoringPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringPlanResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    updateMonitoringPlan: {
        parameters: {
            query?: {
                /** @description true: answers with the plan as it would be, and changes nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePlanRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringPlanResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listMonitoringPlanVersions: {
        parameters: {
            query?: {
                /** @description 1-based. */
                page?: number;
                /** @description Items per page. */
                count?: number;
            };
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringPlanVersionListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getMonitoringConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringAgentConfigResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    updateMonitoringConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAgentChannelRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringAgentConfigResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    testMonitoringChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationChannelTestResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listMonitoringSessions: {
        parameters: {
            query?: {
                /** @description Only those of this check, as the plan names it. */
                check_id?: string;
                /** @description Only those with this status. */
                status?: "running" | "ok" | "finding" | "failed" | "cancelled";
                /** @description 1-based. */
                page?: number;
                /** @description Items per page. */
                count?: number;
            };
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringSessionListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getMonitoringSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
                /** @description Of one run of a check. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitoringSessionResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listMonitoringFindings: {
        parameters: {
            query?: {
                /** @description Absent: all but pending ones. */
                status?: "pending" | "open" | "resolved" | "closed";
                /** @description Only those of this severity. */
                severity?: "info" | "warning" | "critical";
                /** @description 1-based. */
                page?: number;
                /** @description Items per page. */
                count?: number;
            };
            header?: never;
            path: {
                /** @description Of the agent: its chat has the same id. */
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listFindings: {
        parameters: {
            query?: {
                /** @description Absent: all but pending ones. */
                status?: "pending" | "open" | "resolved" | "closed";
                /** @description Only those of this severity. */
                severity?: "info" | "warning" | "critical";
                /** @description 1-based. */
                page?: number;
                /** @description Items per page. */
                count?: number;
                /** @description Only those of this agent. */
                chat_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getFinding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As lists of findings give it. */
                finding_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    triggerMonitoring: {
        parameters: {
            query?: {
                /** @description The monitoring agent that it is for; absent: all of the team, and for an alert none. */
                chat_id?: string;
            };
            header?: {
                /** @description Of check_now: a repeated request with the same key is answered as the first one, and starts nothing. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MonitorRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitorResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listSatellites: {
        parameters: {
            query: {
                /** @description One of the caller’s teams; anything else is a 403. */
                team_id: string;
                /** @description Only satellites that are in this state. */
                status?: ("online" | "degraded" | "offline") | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SatellitesListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getSatellite: {
        parameters: {
            query: {
                /** @description One of the caller’s teams; anything else is a 403. */
                team_id: string;
            };
            header?: never;
            path: {
                /** @description Id of a satellite of the team. */
                satellite_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SatelliteResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    deleteSatellite: {
        parameters: {
            query: {
                /** @description One of the caller’s teams; anything else is a 403. */
                team_id: string;
            };
            header?: never;
            path: {
                /** @description Id of a satellite of the team. */
                satellite_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SatelliteDeletedResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listSatelliteClusters: {
        parameters: {
            query: {
                /** @description One of the caller’s teams; anything else is a 403. */
                team_id: string;
            };
            header?: never;
            path: {
                /** @description Id of a satellite of the team. */
                satellite_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterStateList"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getSatelliteDependencies: {
        parameters: {
            query: {
                /** @description One of the caller’s teams; anything else is a 403. */
                team_id: string;
                /** @description Most edges, those with most calls first. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of a satellite of the team. */
                satellite_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DependencyGraphResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listSatelliteTools: {
        parameters: {
            query: {
                /** @description One of the caller’s teams; anything else is a 403. */
                team_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MCPToolsListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    querySatelliteIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationQueryRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationQueryResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description A system this service asked gave no usable answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description A system this service asked did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    callSatelliteTool: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MCPToolCallRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MCPToolCallResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request conflicts with the present state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description A system this service asked gave no usable answer */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description A system this service asked did not answer in time */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    querySatelliteDependencies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DependencyQueryRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DependencyQueryResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listSatelliteTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SatelliteTokenListResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createSatelliteToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SatelliteTokenCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SatelliteTokenCreatedResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    revokeSatelliteToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SatelliteTokenResponse"];
                };
            };
            /** @description The credential is missing or wrong */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The API key lacks a scope, the CSRF token is missing, or this is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description There is no such thing, or it belongs to another team */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The request is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many requests; Retry-After says when to come back */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description An unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalErrorResponse"];
                };
            };
            /** @description Something this service needs does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
}

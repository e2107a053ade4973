/** What the API shows in a browser if the web app was not built. */
export const NOT_BUILT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Casebook</title>
</head>
<body>
<h1>Casebook</h1>
<p>The API runs here, but its web app was not built. Build it with <code>npm run build:web</code>, then reload this page.</p>
<p>The API is described at <a href="/docs">/docs</a>.</p>
</body>
</html>
`;

/** What may precede an opening parenthesis: PostgreSQL functions that only compute or report, and keywords. */

const words = (text: string): string[] => text.trim().split(/\s+/u);

/** Keywords. */
const SYNTAX = words(`
  all and any array as asc between by case cast check collate columns cube desc distinct else end escape except exists explain
  filter first from full group having ilike in intersect is join lateral like limit materialized next not of offset on
  only or order over overlaps partition rollup row rows select sets similar some symmetric then to union using values
  when where window with within zone
  bernoulli repeatable system tablesample`);

const TYPES = words(`
  bit bool bpchar char character date decimal float float4 float8 int2 int4 int8 interval name numeric oid regclass text
  time timestamp timestamptz timetz varbit varchar varying xid`);

const AGGREGATES = words(`
  any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp every json_agg
  json_agg_strict json_arrayagg json_object_agg json_object_agg_strict json_object_agg_unique json_objectagg jsonb_agg
  jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique max min mode percentile_cont
  percentile_disc range_agg range_intersect_agg regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
  regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance
  cume_dist dense_rank first_value grouping lag last_value lead nth_value ntile percent_rank rank row_number`);

const VALUES = words(`
  coalesce generate_series generate_subscripts greatest least nullif num_nonnulls num_nulls pg_typeof width_bucket
  abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh cbrt ceil ceiling cos cosd cosh cot cotd degrees div
  erf erfc exp factorial floor gamma gcd lcm lgamma ln log log10 min_scale mod pi pow power radians random round scale sign
  sin sind sinh sqrt tan tand tanh trim_scale trunc
  ascii bit_count bit_length btrim casefold char_length character_length chr concat concat_ws convert convert_from
  convert_to crc32 crc32c decode encode format get_bit get_byte initcap is_normalized left length lower lpad ltrim md5
  normalize octet_length overlay parse_ident position quote_ident quote_literal quote_nullable regexp_count regexp_instr
  regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat
  replace reverse right rpad rtrim set_bit set_byte sha224 sha256 sha384 sha512 similarity split_part starts_with
  string_to_array string_to_table strict_word_similarity strpos substr substring to_ascii to_bin to_char to_hex to_number
  to_oct translate trim unistr upper word_similarity
  age clock_timestamp current_time current_timestamp date_add date_bin date_part date_subtract date_trunc extract isfinite
  justify_days justify_hours justify_interval localtime localtimestamp make_date make_interval make_time make_timestamp
  make_timestamptz now statement_timestamp timeofday timezone to_date to_timestamp transaction_timestamp
  time_bucket time_bucket_gapfill interpolate locf
  array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions
  array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort array_to_json
  array_to_string array_upper cardinality trim_array unnest
  enum_first enum_last enum_range gen_random_uuid uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7
  abbrev broadcast family host hostmask inet_merge inet_same_family masklen netmask network set_masklen
  datemultirange daterange int4multirange int4range int8multirange int8range isempty lower_inc lower_inf multirange
  nummultirange numrange range_merge tsmultirange tsrange tstzmultirange tstzrange upper_inc upper_inf
  area box center circle diameter height isclosed isopen line lseg npoints path point polygon radius slope width
  json json_array json_array_elements json_array_elements_text json_array_length json_build_array json_build_object
  json_each json_each_text json_exists json_extract_path json_extract_path_text json_object json_object_keys
  json_populate_record json_populate_recordset json_query json_scalar json_serialize json_strip_nulls json_table
  json_to_record json_to_recordset json_typeof json_value jsonb_array_elements jsonb_array_elements_text
  jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path
  jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz
  jsonb_path_match jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz
  jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record jsonb_populate_recordset
  jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof row_to_json
  to_json to_jsonb
  array_to_tsvector numnode phraseto_tsquery plainto_tsquery querytree setweight strip to_tsquery to_tsvector ts_delete
  ts_filter ts_headline ts_rank ts_rank_cd tsquery_phrase tsvector_to_array websearch_to_tsquery
  xml_is_well_formed xmlagg xmlelement xmlexists xmlforest xpath xpath_exists`);

const ABOUT_THE_SERVER = words(`
  col_description current_database current_schema current_schemas current_setting format_type has_any_column_privilege
  has_column_privilege has_database_privilege has_function_privilege has_schema_privilege has_sequence_privilege
  has_table_privilege inet_client_addr inet_client_port inet_server_addr inet_server_port obj_description
  pg_backend_pid pg_blocking_pids pg_collation_for pg_column_compression pg_column_size pg_conf_load_time
  pg_current_snapshot pg_current_wal_flush_lsn pg_current_wal_insert_lsn pg_current_wal_lsn pg_current_xact_id_if_assigned
  pg_database_size pg_describe_object pg_encoding_to_char pg_filenode_relation pg_function_is_visible pg_get_constraintdef
  pg_get_expr pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_result pg_get_functiondef
  pg_get_indexdef pg_get_partkeydef pg_get_ruledef pg_get_serial_sequence pg_get_statisticsobjdef pg_get_triggerdef
  pg_get_userbyid pg_get_viewdef pg_has_role pg_indexes_size pg_is_in_recovery pg_is_wal_replay_paused pg_last_committed_xact
  pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_my_temp_schema pg_options_to_table
  pg_partition_ancestors pg_partition_root pg_partition_tree pg_postmaster_start_time pg_relation_filenode
  pg_relation_filepath pg_relation_size pg_safe_snapshot_blocking_pids pg_sequence_last_value pg_size_bytes pg_size_pretty
  pg_sleep pg_stat_statements pg_stat_statements_info pg_table_is_visible pg_table_size pg_tablespace_location
  pg_tablespace_size pg_timezone_names pg_total_relation_size pg_type_is_visible pg_wal_lsn_diff pg_walfile_name
  pg_xact_commit_timestamp shobj_description to_regclass to_regnamespace to_regproc to_regprocedure to_regrole to_regtype
  txid_current_if_assigned version`);

/** In lower case. */
export const READ_ONLY_NAMES: ReadonlySet<string> = new Set([
  ...SYNTAX,
  ...TYPES,
  ...AGGREGATES,
  ...VALUES,
  ...ABOUT_THE_SERVER,
]);

/** The volatile ones among them: their results change, but they change nothing. */
export const VOLATILE_READ_ONLY: ReadonlySet<string> = new Set(
  words(`
  array_sample array_shuffle clock_timestamp gen_random_uuid pg_blocking_pids pg_current_wal_flush_lsn
  pg_current_wal_insert_lsn pg_current_wal_lsn pg_database_size pg_indexes_size pg_is_in_recovery pg_is_wal_replay_paused
  pg_last_committed_xact pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_partition_ancestors
  pg_partition_tree pg_relation_size pg_safe_snapshot_blocking_pids pg_sequence_last_value pg_sleep pg_stat_statements
  pg_stat_statements_info pg_table_size pg_tablespace_size pg_total_relation_size pg_xact_commit_timestamp random timeofday
  uuidv4 uuidv7`),
);

"""Tests of imgbake_spark with the real Spark, command and store."""
